package dev.muster.internal.worker;

import static dev.muster.testing.Periods.nothingHappensFor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.engine.EngineIT;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.RawJson;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Jobs that hardly anybody has, and that must not trouble those of others. */
class JobEdgeCasesIT extends EngineIT {
    /** Args of a handler. */
    record Name(String name) {}

    /** Do nothing. */
    static final class Handlers {
        @Job("plain")
        void plain() {}

        @Job("greet")
        void greet(Name name) {}
    }

    @Test
    void aJobOfTheYear9999LeavesItsNodeHealthy() throws Exception {
        Muster node = node(new Handlers());
        node.jobs().enqueue(JobRequest.of("plain").at(Instant.parse("9999-12-31T00:00:00Z")));
        nothingHappensFor(
                Duration.ofMillis(700), () -> assertThat(node.health().detail()).isEmpty());
        JobId parent = node.jobs().enqueue("plain", null);
        ended(node, node.jobs().enqueue(JobRequest.of("plain").dependsOn(parent)));
    }

    /** No client would write such a row. */
    @Test
    void aRowThatCannotBeRunFailsAndCostsNoRoom() throws Exception {
        Muster node = node(Map.of("worker.concurrency", "2", "worker.prefetch", "0"), new Handlers());
        for (int i = 0; i < 3; i++) {
            JobId bad = node.jobs().enqueue(JobRequest.of("plain").delay(Duration.ofHours(1)));
            database.execute(
                    "UPDATE muster_jobs SET max_attempts = 0, ready_at = muster_clock() WHERE id = '" + bad + "'");
            JobInfo ended = node.jobs().await(bad, PATIENCE);
            assertThat(ended.status()).isEqualTo(JobStatus.FAILED);
            assertThat(ended.error().orElseThrow()).startsWith("this job cannot be run: ");
        }
        assertThat(ended(node, node.jobs().enqueue("plain", null)).status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(node.health().ok()).isTrue();
    }

    /** Enqueued by a process that does not know the handler, or by hand. */
    @Test
    void aJobWithoutTheArgsThatItsHandlerNeedsFailsAtOnce() throws Exception {
        Muster node = node(new Handlers());
        try (Muster client = Muster.builder()
                .config(MusterConfig.defaults())
                .dataSource(database.dataSource())
                .build()) {
            JobInfo ended = ended(node, client.jobs().enqueue("greet", null));
            assertThat(ended.status()).isEqualTo(JobStatus.FAILED);
            assertThat(ended.attempt()).isEqualTo(1);
            assertThat(ended.error().orElseThrow()).contains("needs args of type", "but the job has none");
            ended = ended(node, client.jobs().enqueue(JobRequest.of("greet", new RawJson("{\"name\": 1}"))));
            assertThat(ended.error().orElseThrow()).contains("do not fit");
        }
    }

    /** One thread that is busy, and a second job in the buffer behind it. */
    private static final class Busy {
        private final CountDownLatch release = new CountDownLatch(1);

        @Job("busy")
        void busy() throws InterruptedException {
            release.await();
        }

        @Job("behind")
        void behind() {}
    }

    @Test
    void aBufferedJobWaitsForAThreadForAsLongAsClaimedTimeoutAllows() throws Exception {
        Map<String, String> oneThread =
                Map.of("worker.concurrency", "1", "worker.prefetch", "5", "worker.claimed_timeout", "1h");
        Busy busy = new Busy();
        Muster node = node(oneThread, busy);
        JobId first = node.jobs().enqueue("busy", null);
        await().until(() -> node.jobs().find(first).orElseThrow().startedAt().isPresent());
        JobId behind = node.jobs().enqueue("behind", null);
        await().until(() -> node.jobs().find(behind).orElseThrow().status() == JobStatus.CLAIMED);

        Muster idle = node(Map.of(), new Busy());
        nothingHappensFor(
                Duration.ofSeconds(1),
                () -> assertThat(idle.jobs().find(behind).orElseThrow().status())
                        .isEqualTo(JobStatus.CLAIMED));
        busy.release.countDown();
        ended(node, behind);
    }

    /** The node must not claim it again, although its buffer has room. */
    @Test
    void aBufferedJobThatFindsNoThreadInTimeRunsElsewhere() throws Exception {
        Busy busy = new Busy();
        Muster node = node(Map.of("worker.concurrency", "1", "worker.prefetch", "5"), busy);
        JobId first = node.jobs().enqueue("busy", null);
        await().until(() -> node.jobs().find(first).orElseThrow().startedAt().isPresent());
        JobId behind = node.jobs().enqueue("behind", null);
        await().until(() -> node.jobs().find(behind).orElseThrow().status() == JobStatus.CLAIMED);

        Muster idle = node(Map.of(), new Busy());
        assertThat(ended(idle, behind).node()).contains("node-2");
        busy.release.countDown();
    }
}
