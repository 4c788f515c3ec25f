package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.examples.Counts.Count;
import dev.muster.examples.Greetings.MyTask;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A worker that stands still for longer than its lease, and then goes on as if nothing had happened. */
class FrozenWorkerIT extends ChaosIT {

    @Test
    void itsCompletionIsRejectedAndItsHandlerIsToldToStop() {
        JobId id = jobs().enqueue(Probe.held(JobRequest.of("count", new Count("frozen", null)), "a"));
        NodeProcess frozen = freezeDuring(id, Map.of());

        JobInfo elsewhere = rerunElsewhere(id);
        frozen.cont();
        awaitStep(id, "a", "interrupted");
        awaitStep(id, "a", "cancelled");
        awaitHeardOfLoss(frozen);
        witness.open(Probe.gateOf(id));
        awaitStep(id, "a", "threw ClaimLost");

        assertThat(database.column("SELECT key FROM example_counts")).containsExactly("frozen");
        assertStandsAs(id, elsewhere);
        assertStillWorks(frozen, "a");
    }

    @Test
    void whatItsHandlerReturnsIsDropped() {
        JobId id = jobs().enqueue(Probe.held(JobRequest.of("my_task", new MyTask("frozen")), "a"));
        NodeProcess frozen = freezeDuring(id, Map.of());

        JobInfo elsewhere = rerunElsewhere(id);
        frozen.cont();
        awaitStep(id, "a", "interrupted");
        awaitStep(id, "a", "cancelled");
        awaitHeardOfLoss(frozen);
        witness.open(Probe.gateOf(id));
        awaitStep(id, "a", "returned");

        assertStandsAs(id, elsewhere);
        assertStillWorks(frozen, "a");
    }

    /** The handler returns the moment the node wakes up, before the node can find out that it lost the claim. */
    @Test
    void anOutcomeThatWasReadyAtOnceIsRejected() {
        JobId id = jobs().enqueue(Probe.held(JobRequest.of("my_task", new MyTask("frozen")), "a"));
        NodeProcess frozen = freezeDuring(id, Map.of("worker.on_disconnect", "continue"));

        JobInfo elsewhere = rerunElsewhere(id);
        witness.open(Probe.gateOf(id));
        frozen.cont();
        awaitStep(id, "a", "returned");
        awaitHeardOfLoss(frozen);

        assertStandsAs(id, elsewhere);
        assertStillWorks(frozen, "a");
    }

    /** Starts node a, and freezes it while it runs the job and everyone can see so. */
    private NodeProcess freezeDuring(JobId id, Map<String, String> settings) {
        NodeProcess node = node("a", settings);
        awaitStep(id, "a", "entered");
        awaitStatus(id, JobStatus.RUNNING);
        node.stop();
        return node;
    }

    private static void awaitHeardOfLoss(NodeProcess node) {
        await("that the node says so").atMost(SOON).until(() -> node.text().contains("lost"));
    }

    private JobInfo rerunElsewhere(JobId id) {
        node("b");
        JobInfo job = ended(id);
        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.node()).isEqualTo(Optional.of("b"));
        assertThat(job.attempt()).isEqualTo(1);
        assertThat(job.crashes()).isEqualTo(1);
        return job;
    }

    private void assertStandsAs(JobId id, JobInfo before) {
        assertThat(job(id)).isEqualTo(before);
        assertThat(entries(id)).isEqualTo(2);
        assertThat(database.number("SELECT count(*) FROM muster_job_history WHERE id = '" + id + "'"))
                .isEqualTo(1);
        assertThat(database.number("SELECT count(*) FROM muster_jobs WHERE id = '" + id + "'"))
                .isZero();
    }

    /** The node that was frozen runs other jobs: nothing of it was left stuck. */
    private void assertStillWorks(NodeProcess node, String nodeId) {
        await().atMost(SOON).untilAsserted(() -> {
            JobId id = jobs().enqueue(JobRequest.of("hello", Map.of("name", "Ada")));
            assertThat(ended(id).node()).isEqualTo(Optional.of(nodeId));
        });
        assertThat(node.isAlive()).isTrue();
    }
}
