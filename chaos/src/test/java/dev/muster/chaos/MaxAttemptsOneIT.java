package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.Muster;
import dev.muster.examples.Greetings.MyTask;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A job with {@code maxAttempts = 1}, such as a payment: its handler is entered at most once, whatever happens. {@link KilledWorkIT} and
 * {@link FrozenWorkerIT} have such a job, too.
 */
class MaxAttemptsOneIT extends ChaosIT {

    @Test
    void notAgainAfterItKilledItsNode() {
        JobId id = jobs().enqueue(Probe.watched(JobRequest.of("crash")).maxAttempts(1));
        NodeProcess node = launch("a", Map.of());
        assertThat(node.exitCode(SOON)).isEqualTo(137);
        assertThat(job(id).status())
                .as("on record before the handler is entered")
                .isEqualTo(JobStatus.RUNNING);
        startHere("b");
        losesToOthers("a");

        assertFailedAfterOneRun(id);
    }

    @Test
    void notAgainAfterItsNodeWasDrainedAndCouldNotWait() {
        JobId id = enqueueHeldOnA();
        Muster node = startHere("a", Map.of("worker.drain_timeout", "1s"));
        awaitStep(id, "a", "entered");
        startHere("b");

        node.close();

        assertFailedAfterOneRun(id);
        witness.open(Probe.gateOf(id));
    }

    /** In real time: the node's own clock tells it that its lease has ended. Nobody else is there. */
    @Test
    void notAgainAfterItsNodeLostTheDatabase() {
        try (TcpProxy proxy = new TcpProxy(serverPort())) {
            JobId id = enqueueHeldOnA();
            startHere("a", Map.of("database.url", proxy.url(database.url()), "worker.lease", "3s"));
            awaitStep(id, "a", "entered");

            proxy.freeze();
            awaitStep(id, "a", "interrupted");
            witness.open(Probe.gateOf(id));
            awaitStep(id, "a", "returned");
            proxy.thaw();

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
