package dev.muster.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.job.Backoff;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Completion in the handler's own transaction. */
class CompleteInIT extends EngineTest {

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

        @Job("once")
        String once(JobContext ctx) throws SQLException {
            try (Connection connection = begin()) {
                ctx.completeIn(connection, "committed");
                connection.commit();
            }
            return "ignored";
        }

        @Job(value = "rolls_back", maxAttempts = 2, backoff = @Backoff(kind = Backoff.Kind.FIXED, delay = "10ms"))
        void rollsBack(JobContext ctx) throws SQLException {
            runs.incrementAndGet();
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
    void aRollbackIsAFailedAttempt() throws Exception {
        Handlers handlers = handlers();
        Muster node = node(handlers);

        JobInfo job = ended(node, node.jobs().enqueue("rolls_back", null));

        assertThat(job.status()).isEqualTo(JobStatus.FAILED);
        assertThat(job.error()).hasValueSatisfying(e -> assertThat(e).contains("completeIn was not committed"));
        assertThat(handlers.runs).hasValue(2);
        assertThat(effects()).isZero();
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
        assertThat(handlers.open.await(10, TimeUnit.SECONDS)).isTrue();

        // Several leases long; every quick job must still pass at once.
        long end = System.nanoTime()
                + Duration.ofSeconds(Integer.getInteger("muster.engine.open_seconds", 5))
                        .toNanos();
        long worst = 0;
        while (System.nanoTime() < end) {
            long start = System.nanoTime();
            assertThat(ended(other, other.jobs().enqueue("quick", null)).status())
                    .isEqualTo(JobStatus.COMPLETED);
            worst = Math.max(worst, System.nanoTime() - start);
        }
        assertThat(Duration.ofNanos(worst)).isLessThan(Duration.ofSeconds(2));
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
        assertThat(handlers.open.await(10, TimeUnit.SECONDS)).isTrue();
        Thread closer = new Thread(node::close);
        closer.start();
        handlers.mayCommit.countDown();
        closer.join(10_000);

        assertThat(closer.isAlive()).isFalse();
        await().until(() -> database.number(
                        "SELECT count(*) FROM muster_job_history WHERE id = '" + held + "' AND status = 'completed'")
                == 1);
        assertThat(effects()).isEqualTo(1);
    }
}
