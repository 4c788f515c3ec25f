package dev.muster.bench.peers.quartz;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.muster.bench.contender.Contender;
import dev.muster.bench.contender.Handled;
import dev.muster.bench.contender.Payload;
import dev.muster.bench.contender.Site;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.postgresql.ds.PGSimpleDataSource;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.impl.jdbcjobstore.JobStoreSupport;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/**
 * Quartz, clustered. One durable job and a trigger for each call of it: a job of its own for each would be another row
 * to write and to delete.
 */
public final class QuartzContender implements Contender {
    private static final int THREADS = 20;

    @Override
    public String name() {
        return "quartz";
    }

    @Override
    public Kind kind() {
        return Kind.PEER;
    }

    @Override
    public String about() {
        return "Quartz, clustered JDBC job store, 20 threads, 20 triggers acquired at a time within the lock";
    }

    @Override
    public double share() {
        return 0.02;
    }

    @Override
    public Site open(String url) throws Exception {
        return new QuartzSite(url);
    }

    private static final class QuartzSite implements Site {
        private static final AtomicInteger NUMBERS = new AtomicInteger();
        private static final JobDetail JOB = JobBuilder.newJob(Confirmation.class)
                .withIdentity("send-confirmation")
                .storeDurably()
                .build();

        private final String name = "bench" + NUMBERS.incrementAndGet();
        private final HikariDataSource pool;
        private final Scheduler scheduler;

        QuartzSite(String url) throws Exception {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(url);
            HikariConfig config = new HikariConfig();
            config.setDataSource(source);
            config.setMaximumPoolSize(2 * THREADS);
            config.setPoolName("quartz");
            this.pool = new HikariDataSource(config);
            createTables();
            DBConnectionManager.getInstance().addConnectionProvider(name, new Pooled(pool));
            this.scheduler = scheduler();
            scheduler.addJob(JOB, true);
        }

        private void createTables() throws SQLException, IOException {
            try (InputStream schema = JobStoreSupport.class.getResourceAsStream("tables_postgres.sql");
                    Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute(new String(schema.readAllBytes(), StandardCharsets.UTF_8));
            }
        }

        /** Takes jobs and runs them: within a JVM Quartz knows one scheduler by the name of its cluster. */
        private Scheduler scheduler() throws SchedulerException {
            Properties properties = new Properties();
            Map.ofEntries(
                            Map.entry("scheduler.instanceName", name),
                            Map.entry("scheduler.instanceId", "AUTO"),
                            Map.entry("scheduler.skipUpdateCheck", "true"),
                            Map.entry("scheduler.idleWaitTime", "1000"),
                            Map.entry("scheduler.batchTriggerAcquisitionMaxCount", Integer.toString(THREADS)),
                            Map.entry("threadPool.class", "org.quartz.simpl.SimpleThreadPool"),
                            Map.entry("threadPool.threadCount", Integer.toString(THREADS)),
                            Map.entry("jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX"),
                            Map.entry(
                                    "jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate"),
                            Map.entry("jobStore.dataSource", name),
                            Map.entry("jobStore.isClustered", "true"),
                            Map.entry("jobStore.acquireTriggersWithinLock", "true"),
                            // A backlog is no misfire: handling each as one would slow it down further.
                            Map.entry("jobStore.misfireThreshold", "3600000"))
                    .forEach((key, value) -> properties.setProperty("org.quartz." + key, value));
            return new StdSchedulerFactory(properties).getScheduler();
        }

        @Override
        public void enqueue(int first, int count) throws SchedulerException {
            if (count == 1) {
                scheduler.scheduleJob(trigger(first));
                return;
            }
            Set<Trigger> triggers = new HashSet<>();
            for (int i = first; i < first + count; i++) {
                triggers.add(trigger(i));
            }
            scheduler.scheduleJobs(Map.of(JOB, triggers), true);
        }

        private static Trigger trigger(int i) {
            Payload payload = Payload.number(i);
            return TriggerBuilder.newTrigger()
                    .withIdentity(Integer.toString(i))
                    .forJob(JOB)
                    .usingJobData("order", payload.order())
                    .usingJobData("email", payload.email())
                    .usingJobData("kind", payload.kind())
                    .usingJobData("note", payload.note())
                    .startNow()
                    .build();
        }

        @Override
        public Work start(Handled handled) throws SchedulerException {
            scheduler.getContext().put(Confirmation.HANDLED, handled);
            scheduler.start();
            return new Work() {
                @Override
                public void pause() throws SchedulerException {
                    scheduler.standby();
                }

                @Override
                public void resume() throws SchedulerException {
                    scheduler.start();
                }

                @Override
                public void close() {
                    try {
                        scheduler.standby();
                    } catch (SchedulerException e) {
                        throw new IllegalStateException(e);
                    }
                }
            };
        }

        @Override
        public long left() throws SQLException {
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(
                            "select (select count(*) from qrtz_triggers) + (select count(*) from qrtz_fired_triggers)"
                                    + " - (select count(*) from qrtz_fired_triggers f join qrtz_triggers t"
                                    + " using (sched_name, trigger_name, trigger_group))")) {
                rows.next();
                return rows.getLong(1);
            }
        }

        @Override
        public void close() {
            try {
                scheduler.shutdown(true);
            } catch (SchedulerException e) {
                throw new IllegalStateException(e);
            } finally {
                pool.close();
            }
        }
    }

    private record Pooled(HikariDataSource pool) implements ConnectionProvider {
        @Override
        public Connection getConnection() throws SQLException {
            return pool.getConnection();
        }

        @Override
        public void shutdown() {
            pool.close();
        }

        @Override
        public void initialize() {
            // The pool is there.
        }
    }
}
