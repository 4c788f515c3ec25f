package dev.muster.bench;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.jdbc.PostgreSqlJdbcCustomization;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** db-scheduler with the polling strategy and limits that its documentation gives for high throughput. */
final class DbSchedulerContender implements Contender {
    static final String NAME = "db_scheduler";

    private static final int THREADS = 20;
    private static final double LOWER_LIMIT = 4.0;
    private static final double UPPER_LIMIT = 20.0;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Kind kind() {
        return Kind.PEER;
    }

    @Override
    public Site open(String url) throws SQLException {
        Scratch.execute(url, Scratch.resource("dbscheduler/schema.sql"));
        return new DbSchedulerSite(url);
    }

    private static final class DbSchedulerSite implements Site {
        private static final PostgreSqlJdbcCustomization POSTGRES = new PostgreSqlJdbcCustomization(false, false);

        private final String url;
        private final HikariDataSource pool;
        private final SchedulerClient client;
        private volatile Handled handled = new Handled(0);
        private final OneTimeTask<Payload> task =
                Tasks.oneTime("send-confirmation", Payload.class).execute((instance, context) -> handled.one());

        DbSchedulerSite(String url) {
            this.url = url;
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(url + "&reWriteBatchedInserts=true");
            config.setMaximumPoolSize(THREADS + 4);
            config.setPoolName("db-scheduler");
            this.pool = new HikariDataSource(config);
            this.client = SchedulerClient.Builder.create(pool, task)
                    .jdbcCustomization(POSTGRES)
                    .build();
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
        public Tally process(int jobs, Duration atMost) throws Exception {
            handled = new Handled(jobs);
            long deadline = System.nanoTime() + atMost.toNanos();
            Scheduler scheduler = Scheduler.create(pool, task)
                    .threads(THREADS)
                    .pollUsingLockAndFetch(LOWER_LIMIT, UPPER_LIMIT)
                    .pollingInterval(Duration.ofMillis(100))
                    .jdbcCustomization(POSTGRES)
                    .shutdownMaxWait(Duration.ofSeconds(5))
                    .build();
            scheduler.start();
            try {
                if (handled.await(atMost)) {
                    Scratch.awaitZero(url, "select count(*) from scheduled_tasks", deadline);
                }
                return new Tally(handled.count(), handled.nanosSinceFirst());
            } finally {
                scheduler.stop();
            }
        }

        @Override
        public void verify(int enqueued, long done) throws SQLException {
            try (Connection connection = pool.getConnection()) {
                long left = Scratch.number(connection, "select count(*) from scheduled_tasks");
                // Stopped by the clock, it finishes what it had begun.
                if (left > enqueued - done) {
                    throw new IllegalStateException(
                            "db-scheduler: " + left + " of " + enqueued + " left, " + done + " done");
                }
            }
        }

        @Override
        public void close() {
            pool.close();
        }
    }
}
