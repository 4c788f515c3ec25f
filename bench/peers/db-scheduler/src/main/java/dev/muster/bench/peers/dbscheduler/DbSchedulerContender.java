package dev.muster.bench.peers.dbscheduler;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.jdbc.PostgreSqlJdbcCustomization;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
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
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.ds.PGSimpleDataSource;

/** db-scheduler, lock-and-fetch. */
public final class DbSchedulerContender implements Contender {
    private static final int THREADS = 20;
    private static final double LOWER_LIMIT = 4.0;
    private static final double UPPER_LIMIT = 20.0;

    @Override
    public String name() {
        return "db_scheduler";
    }

    @Override
    public Kind kind() {
        return Kind.PEER;
    }

    @Override
    public String about() {
        return "db-scheduler, pollUsingLockAndFetch(4, 20), 20 threads, without priorities";
    }

    @Override
    public double share() {
        return 0.3;
    }

    @Override
    public Site open(String url) throws SQLException, IOException {
        return new DbSchedulerSite(url);
    }

    private static final class DbSchedulerSite implements Site {
        private static final PostgreSqlJdbcCustomization POSTGRES = new PostgreSqlJdbcCustomization(false, false);

        private final HikariDataSource pool;
        private final SchedulerClient client;
        private volatile Handled handled = Handled.endless();
        private final OneTimeTask<Payload> task =
                Tasks.oneTime("send-confirmation", Payload.class).execute((instance, context) -> handled.one());

        DbSchedulerSite(String url) throws SQLException, IOException {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(url);
            source.setReWriteBatchedInserts(true);
            HikariConfig config = new HikariConfig();
            config.setDataSource(source);
            config.setMaximumPoolSize(THREADS + 4);
            config.setPoolName("db-scheduler");
            this.pool = new HikariDataSource(config);
            createTable();
            this.client = SchedulerClient.Builder.create(pool, task)
                    .jdbcCustomization(POSTGRES)
                    .build();
        }

        private void createTable() throws SQLException, IOException {
            try (InputStream schema = DbSchedulerContender.class.getResourceAsStream("schema.sql");
                    Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute(new String(schema.readAllBytes(), StandardCharsets.UTF_8));
            }
        }

        @Override
        public void enqueue(int first, int count) {
            if (count == 1) {
                client.scheduleIfNotExists(instance(first), Instant.now());
                return;
            }
            List<TaskInstance<?>> instances = new ArrayList<>(count);
            for (int i = first; i < first + count; i++) {
                instances.add(instance(i));
            }
            client.scheduleBatch(instances, Instant.now());
        }

        private TaskInstance<Payload> instance(int i) {
            return task.instance(Integer.toString(i), Payload.number(i));
        }

        @Override
        public Work start(Handled handled) {
            this.handled = handled;
            Scheduler scheduler = Scheduler.create(pool, task)
                    .threads(THREADS)
                    .pollUsingLockAndFetch(LOWER_LIMIT, UPPER_LIMIT)
                    .pollingInterval(Duration.ofMillis(100))
                    .jdbcCustomization(POSTGRES)
                    .shutdownMaxWait(Duration.ofSeconds(5))
                    .build();
            scheduler.start();
            return new Work() {
                @Override
                public void pause() {
                    scheduler.pause();
                }

                @Override
                public void resume() {
                    scheduler.resume();
                }

                @Override
                public void close() {
                    scheduler.stop();
                }
            };
        }

        @Override
        public long left() throws SQLException {
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("select count(*) from scheduled_tasks")) {
                rows.next();
                return rows.getLong(1);
            }
        }

        @Override
        public void close() {
            pool.close();
        }
    }
}
