package dev.muster.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.engine.EngineIT;
import dev.muster.job.Backoff;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobInfo.Progress;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Completion in the handler's own transaction. */
class CompleteInIT extends EngineIT {

    /** Handlers that write to {@code effects} and complete in one transaction. */
    static final class Handlers {
        private final DataSource dataSource;
        final AtomicInteger runs = new AtomicInteger();
        final CountDownLatch open = new CountDownLatch(1);
        final CountDownLatch mayCommit = new CountDownLatch(1);

        Handlers(DataSource dataSource) {
            this.dataSource = dataSource;
        }

        private Connection begin() throws SQLException {
            Connection connection = dataSource.getConnection();
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute("INSERT INTO effects DEFAULT VALUES");
            }
            return connection;
        }

        @Job("connection_of_the_node")
        boolean connectionOfTheNode(JobContext ctx) throws SQLException {
            try (Connection connection = ctx.connection()) {
                boolean autocommit = connection.getAutoCommit();
                connection.setAutoCommit(false);
                execute(connection, "INSERT INTO effects DEFAULT VALUES");
                ctx.completeIn(connection, autocommit);
                connection.commit();
            }
            return false;
        }

        @Job("once")
        String once(JobContext ctx) throws SQLException {
            try (Connection connection = begin()) {
                ctx.completeIn(connection, "committed");
                connection.commit();
            }
            return "ignored";
        }

        @Job("reports_once")
        void reportsOnce(JobContext ctx) throws SQLException {
            ctx.progress(99, "about to commit");
            try (Connection connection = begin()) {
                ctx.completeIn(connection);
                connection.commit();
            }
        }

        @Job(value = "rolls_back", maxAttempts = 2, backoff = @Backoff(kind = Backoff.Kind.FIXED, delay = "10ms"))
        void rollsBack(JobContext ctx) throws SQLException {
            runs.incrementAndGet();
            ctx.progress(50, "half way");
            try (Connection connection = begin()) {
                ctx.completeIn(connection);
                connection.rollback();
            }
        }

        @Job(value = "throws_after_commit", maxAttempts = 3)
        void throwsAfterCommit(JobContext ctx) throws SQLException {
            runs.incrementAndGet();
            try (Connection connection = begin()) {
                ctx.completeIn(connection);
                connection.commit();
            }
            throw new IllegalStateException("too late to matter");
        }

        @Job("holds")
        void holds(JobContext ctx) throws SQLException, InterruptedException {
            runs.incrementAndGet();
            try (Connection connection = begin()) {
                ctx.completeIn(connection);
                open.countDown();
                mayCommit.await();
                connection.commit();
            }
        }

        /** Its snapshot is older than the note that the job runs. */
        @Job(value = "old_snapshot", maxAttempts = 2, backoff = @Backoff(kind = Backoff.Kind.FIXED, delay = "10ms"))
        void oldSnapshot(JobContext ctx) throws SQLException {
            try (Connection connection = dataSource.getConnection()) {
                connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                connection.setAutoCommit(false);
                execute(connection, "SELECT count(*) FROM effects");
                await().until(() -> isRunning(ctx.id()));
                ctx.completeIn(connection);
                connection.commit();
            }
        }

        private boolean isRunning(JobId id) throws SQLException {
            try (Connection connection = dataSource.getConnection();
                    Statement statement = connection.createStatement()) {
                return statement
                        .executeQuery("SELECT FROM muster_jobs WHERE status = 'running' AND id = '" + id + "'")
                        .next();
            }
        }

        /** Its session is ended by the server before it commits, in the first run. */
        @Job(
                value = "loses_its_session",
                maxAttempts = 2,
                backoff = @Backoff(kind = Backoff.Kind.FIXED, delay = "10ms"))
        void losesItsSession(JobContext ctx) throws SQLException {
            try (Connection connection = begin()) {
                ctx.completeIn(connection, ctx.attempt());
                if (runs.incrementAndGet() <= 2) {
                    end(connection);
                }
                connection.commit();
            }
        }

        @Job(value = "loses_its_only_session", maxAttempts = 1)
        void losesItsOnlySession(JobContext ctx) throws SQLException {
            runs.incrementAndGet();
            try (Connection connection = begin()) {
                ctx.completeIn(connection);
                end(connection);
                connection.commit();
            }
        }

        /** Ends its session by itself, each time: it, and not the database, is to blame. */
        @Job(value = "ends_its_session", maxAttempts = 2, backoff = @Backoff(kind = Backoff.Kind.FIXED, delay = "10ms"))
        void endsItsSession(JobContext ctx) throws SQLException {
            runs.incrementAndGet();
            try (Connection connection = begin()) {
                end(connection);
                ctx.completeIn(connection);
            }
        }

        /** The server ends every session, as it does when it is restarted. */
        @Job(value = "meets_a_restart", maxAttempts = 2, backoff = @Backoff(kind = Backoff.Kind.FIXED, delay = "10ms"))
        int meetsARestart(JobContext ctx) throws SQLException {
            if (runs.incrementAndGet() <= 2) {
                try (Connection connection = begin()) {
                    execute(
                            connection,
                            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                                    + " AND pid <> pg_backend_pid()");
                    execute(connection, "SELECT pg_terminate_backend(pg_backend_pid())");
                }
            }
            return ctx.attempt();
        }

        private void end(Connection connection) throws SQLException {
            execute(connection, "SELECT pg_terminate_backend(pg_backend_pid())", false);
        }

        private static void execute(Connection connection, String sql) throws SQLException {
            execute(connection, sql, true);
        }

        private static void execute(Connection connection, String sql, boolean succeeds) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
            } catch (SQLException e) {
                if (succeeds) {
                    throw e;
                }
            }
        }

        @Job("quick")
        void quick() {}

        @Job("long")
        int longJob(JobContext ctx) throws InterruptedException {
            mayCommit.await();
            return ctx.attempt();
        }
    }

    private Handlers handlers() {
        database.execute("CREATE TABLE effects (id bigint GENERATED ALWAYS AS IDENTITY)");
        return new Handlers(database.dataSource());
    }

    private long effects() {
        return database.number("SELECT count(*) FROM effects");
    }

    @Test
    void theEffectAndTheOutcomeCommitTogether() throws Exception {
        Muster node = node(handlers());

        JobInfo job = ended(node, node.jobs().enqueue("once", null));

        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.result()).contains("\"committed\"");
        assertThat(effects()).isEqualTo(1);
    }

    @Test
    void aHandlerCanUseAConnectionOfItsNode() throws Exception {
        Muster node = node(handlers());

        JobInfo job = ended(node, node.jobs().enqueue("connection_of_the_node", null));

        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.result()).as("it is in autocommit mode").contains("true");
        assertThat(effects()).isEqualTo(1);
    }

    @Test
    void aRollbackIsAFailedAttempt() throws Exception {
        Handlers handlers = handlers();
        Muster node = node(handlers);

        JobInfo job = ended(node, node.jobs().enqueue("rolls_back", null));

        assertThat(job.status()).isEqualTo(JobStatus.FAILED);
        assertThat(job.error()).hasValueSatisfying(e -> assertThat(e).contains("completeIn was not committed"));
        assertThat(job.progress()).contains(new Progress(50, Optional.of("half way")));
        assertThat(handlers.runs).hasValue(2);
        assertThat(effects()).isZero();
    }

    @Test
    void itKeepsItsStartAndItsLastProgress() throws Exception {
        Muster node = node(handlers());
        List<JobId> ids = node.jobs()
                .enqueueAll(IntStream.range(0, 20)
                        .mapToObj(i -> JobRequest.of("reports_once"))
                        .toList());

        for (JobId id : ids) {
            JobInfo job = ended(node, id);
            assertThat(job.startedAt())
                    .hasValueSatisfying(started -> assertThat(started)
                            .isAfterOrEqualTo(job.createdAt().minusMillis(1))
                            .isBeforeOrEqualTo(job.finishedAt().orElseThrow()));
            assertThat(job.progress()).contains(new Progress(99, Optional.of("about to commit")));
        }
    }

    @Test
    void whatHappensAfterTheCommitChangesNothing() throws Exception {
        Handlers handlers = handlers();
        Muster node = node(handlers);

        JobInfo job = ended(node, node.jobs().enqueue("throws_after_commit", null));
        ended(node, node.jobs().enqueue("quick", null));

        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(handlers.runs).hasValue(1);
        assertThat(effects()).isEqualTo(1);
    }

    @Test
    void anOpenTransactionDelaysNoOtherJobAndExpiresNoOtherLease() throws Exception {
        Handlers handlers = handlers();
        Muster node = node(handlers);
        Muster other = node(handlers);
        JobId held = node.jobs().enqueue("holds", null);
        List<JobId> longJobs = node.jobs()
                .enqueueAll(IntStream.range(0, 8)
                        .mapToObj(i -> JobRequest.of("long"))
                        .toList());
        assertThat(handlers.open.await(90, TimeUnit.SECONDS)).isTrue();

        for (int i = 0; i < 20; i++) {
            assertThat(ended(other, other.jobs().enqueue("quick", null)).status())
                    .isEqualTo(JobStatus.COMPLETED);
        }
        awaitRenewals(longJobs.get(0), 3);
        assertThat(node.jobs().find(held).orElseThrow().status()).isNotEqualTo(JobStatus.PENDING);
        handlers.mayCommit.countDown();

        assertThat(ended(node, held).status()).isEqualTo(JobStatus.COMPLETED);
        for (JobId id : longJobs) {
            JobInfo job = ended(node, id);
            assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
            assertThat(job.attempt()).isEqualTo(1);
            assertThat(job.crashes()).isZero();
        }
        assertThat(handlers.runs).hasValue(1);
        assertThat(effects()).isEqualTo(1);
    }

    @Test
    void aNodeThatStopsWaitsForTheTransaction() throws Exception {
        Handlers handlers = handlers();
        Muster node = node(handlers);
        JobId held = node.jobs().enqueue("holds", null);
        assertThat(handlers.open.await(90, TimeUnit.SECONDS)).isTrue();
        Thread closer = new Thread(node::close);
        closer.start();
        handlers.mayCommit.countDown();
        closer.join(90_000);

        assertThat(closer.isAlive()).isFalse();
        await().until(() -> database.number(
                        "SELECT count(*) FROM muster_job_history WHERE id = '" + held + "' AND status = 'completed'")
                == 1);
        assertThat(effects()).isEqualTo(1);
    }

    @Test
    void aTransactionWhoseSnapshotIsTooOldIsRefusedWithTheLevelItNeeds() throws Exception {
        Muster node = node(handlers());

        JobInfo job = ended(node, node.jobs().enqueue("old_snapshot", null));

        assertThat(job.status()).isEqualTo(JobStatus.FAILED);
        assertThat(job.error())
                .hasValueSatisfying(
                        e -> assertThat(e).contains("REPEATABLE READ").contains("Use READ COMMITTED"));
    }

    @Test
    void anAttemptThatTheDatabaseCutOffDoesNotCount() throws Exception {
        Handlers handlers = handlers();
        Muster node = node(handlers);

        JobInfo job = ended(node, node.jobs().enqueue("loses_its_session", null));
        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.result())
                .as("the number of the attempt that was accepted")
                .contains("1");
        assertThat(handlers.runs).hasValue(3);
        assertThat(effects()).isEqualTo(1);

        handlers.runs.set(0);
        JobId restart = node.jobs().enqueue("meets_a_restart", null);
        // Its sessions are ended as well.
        await().ignoreExceptions()
                .until(() -> node.jobs().find(restart).orElseThrow().status().isTerminal());
        JobInfo restarted = node.jobs().find(restart).orElseThrow();
        assertThat(restarted.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(restarted.result())
                .as("nor outside of completeIn, while the node lost contact too")
                .contains("1");
    }

    @Test
    void aJobThatMayRunOnlyOnceIsNotEnteredAgainAndOneThatEndsItsSessionsIsNotExcusedForever() throws Exception {
        Handlers handlers = handlers();
        Muster node = node(handlers);

        JobInfo once = ended(node, node.jobs().enqueue("loses_its_only_session", null));
        assertThat(once.status()).isEqualTo(JobStatus.FAILED);
        assertThat(handlers.runs).hasValue(1);

        handlers.runs.set(0);
        JobInfo job = ended(node, node.jobs().enqueue("ends_its_session", null));
        assertThat(job.status()).isEqualTo(JobStatus.FAILED);
        assertThat(handlers.runs).hasValueBetween(3, 10);
    }

    @Test
    void aDayOfHistoryThatIsMissingIsMadeAndTheAttemptDoesNotCount() throws Exception {
        Handlers handlers = handlers();
        Muster node = node(handlers);
        database.execute("DO $$ BEGIN EXECUTE 'DROP TABLE muster_job_history_'"
                + " || to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDD'); END $$");

        JobInfo job = ended(node, node.jobs().enqueue("once", null));

        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.attempt()).isEqualTo(1);
        assertThat(effects()).isEqualTo(1);
    }
}
