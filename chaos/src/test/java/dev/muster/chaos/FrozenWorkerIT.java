package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.examples.Counts.Count;
import dev.muster.examples.Greetings.MyTask;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A worker that stands still for longer than its lease, and then continues as if nothing had happened. */
class FrozenWorkerIT extends ChaosIT {

    /** One of the handlers returns the moment the node wakes up, before the node can find out that it lost the claim. */
    @Test
    void whatItsHandlersReturnIsRejectedAndTheyAreToldToStop() {
        NodeProcess frozen = node("a");
        JobId count = held(JobRequest.of("count", new Count("frozen", null)));
        JobId task = held(JobRequest.of("my_task", new MyTask("frozen")));
        JobId readyAtOnce = held(JobRequest.of("my_task", new MyTask("ready at once")));
        JobId payment = held(JobRequest.of("my_task", new MyTask("payment")).maxAttempts(1));

        frozen.stop();
        startHere("b");
        losesToOthers("a");
        List<JobInfo> elsewhere = List.of(rerun(count), rerun(task), rerun(readyAtOnce));
        JobInfo failed = ended(payment);
        assertThat(failed.status()).as("it has one attempt").isEqualTo(JobStatus.FAILED);
        witness.open(Probe.gateOf(readyAtOnce));
        frozen.cont();

        awaitStep(readyAtOnce, "a", "returned");
        for (JobId id : List.of(count, task, payment)) {
            awaitStep(id, "a", "interrupted");
            awaitStep(id, "a", "cancelled");
        }
        await("that the node says so").atMost(SOON).until(() -> frozen.text().contains("lost"));
        List.of(count, task, payment).forEach(id -> witness.open(Probe.gateOf(id)));
        awaitStep(count, "a", "threw ClaimLost");
        awaitStep(task, "a", "returned");
        awaitStep(payment, "a", "returned");

        assertThat(database.column("SELECT key FROM example_counts")).containsExactly("frozen");
        elsewhere.forEach(job -> assertStandsAs(job, 2));
        assertStandsAs(failed, 1);
        assertStillWorks(frozen);
    }

    /** A job that node a holds and everyone can see so. */
    private JobId held(JobRequest request) {
        JobId id = jobs().enqueue(Probe.held(request, "a"));
        awaitStep(id, "a", "entered");
        awaitStatus(id, JobStatus.RUNNING);
        return id;
    }

    private JobInfo rerun(JobId id) {
        JobInfo job = ended(id);
        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.node()).isEqualTo(Optional.of("b"));
        assertThat(job.attempt()).isEqualTo(1);
        assertThat(job.crashes()).isEqualTo(1);
        return job;
    }

    private void assertStandsAs(JobInfo before, int entries) {
        assertThat(job(before.id())).isEqualTo(before);
        assertThat(entries(before.id())).isEqualTo(entries);
        assertThat(database.number("SELECT count(*) FROM muster_job_history WHERE id = '" + before.id() + "'"))
                .isEqualTo(1);
        assertThat(database.number("SELECT count(*) FROM muster_jobs WHERE id = '" + before.id() + "'"))
                .isZero();
    }

    /** The node that was frozen runs other jobs: nothing of it was left stuck. */
    private void assertStillWorks(NodeProcess node) {
        await().atMost(SOON).untilAsserted(() -> {
            JobId id = jobs().enqueue(JobRequest.of("hello", Map.of("name", "Ada")));
            assertThat(ended(id).node()).isEqualTo(Optional.of("a"));
        });
        assertThat(node.isAlive()).isTrue();
    }
}
