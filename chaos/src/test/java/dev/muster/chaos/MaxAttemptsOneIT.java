package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.examples.Greetings.MyTask;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A job with {@code maxAttempts = 1}, such as a payment: its handler is entered at most once, whatever happens. */
class MaxAttemptsOneIT extends ChaosIT {

    @Test
    void notAgainAfterItsNodeWasKilled() {
        JobId id = enqueueHeldOnA();
        NodeProcess node = node("a");
        awaitStep(id, "a", "entered");
        assertThat(job(id).status())
                .as("on record before the handler is entered")
                .isEqualTo(JobStatus.RUNNING);

        node.kill9();
        node("b");

        assertFailedAfterOneRun(id);
    }

    @Test
    void notAgainAfterItKilledItsNode() {
        JobId id = jobs().enqueue(Probe.watched(JobRequest.of("crash")).maxAttempts(1));
        NodeProcess node = launch("a", Map.of());
        assertThat(node.exitCode(SOON)).isEqualTo(137);
        node("b");

        assertFailedAfterOneRun(id);
    }

    @Test
    void notAgainAfterItsNodeWasFrozen() {
        JobId id = enqueueHeldOnA();
        NodeProcess node = node("a");
        awaitStep(id, "a", "entered");

        node.stop();
        node("b");
        JobInfo failed = ended(id);
        node.cont();
        awaitStep(id, "a", "cancelled");
        witness.open(Probe.gateOf(id));
        awaitStep(id, "a", "returned");

        assertThat(job(id)).isEqualTo(failed);
        assertFailedAfterOneRun(id);
    }

    @Test
    void notAgainAfterItsNodeWasDrainedAndCouldNotWait() {
        JobId id = enqueueHeldOnA();
        NodeProcess node = node("a", Map.of("worker.drain_timeout", "1s"));
        awaitStep(id, "a", "entered");
        node("b");

        node.terminate();
        node.exitCode(Duration.ofSeconds(10));

        assertFailedAfterOneRun(id);
    }

    @Test
    void notAgainAfterItsNodeLostTheDatabase() {
        try (TcpProxy proxy = new TcpProxy(serverPort())) {
            JobId id = enqueueHeldOnA();
            node("a", Map.of("database.url", proxy.url(database.url())));
            awaitStep(id, "a", "entered");

            proxy.freeze();
            awaitStep(id, "a", "interrupted");
            witness.open(Probe.gateOf(id));
            awaitStep(id, "a", "returned");
            proxy.thaw();
            node("b");

            assertThat(ended(id).status()).isIn(JobStatus.COMPLETED, JobStatus.FAILED);
            assertThat(entries(id)).isEqualTo(1);
        }
    }

    private JobId enqueueHeldOnA() {
        JobRequest payment = JobRequest.of("my_task", new MyTask("payment")).maxAttempts(1);
        return jobs().enqueue(Probe.held(payment, "a"));
    }

    private void assertFailedAfterOneRun(JobId id) {
        JobInfo job = ended(id);
        assertThat(job.status()).isEqualTo(JobStatus.FAILED);
        assertThat(job.attempt()).isEqualTo(1);
        assertThat(job.error()).isPresent();
        assertThat(entries(id)).isEqualTo(1);
    }
}
