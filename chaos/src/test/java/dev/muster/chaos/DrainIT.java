package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.examples.Greetings.MyTask;
import dev.muster.examples.Greetings.Sleep;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** SIGTERM, as every deployment sends it. */
class DrainIT extends ChaosIT {
    private static final int SIGTERM = 128 + 15;
    private static final int THREADS = 8;
    private static final int WAITING = 40;

    /** Leases are longer than the test waits: what moves was handed back, not recovered. */
    @Test
    void handsBackWhatHasNotStartedFinishesTheRestAndLeaves() {
        NodeProcess node = node("a", Map.of("worker.prefetch", String.valueOf(WAITING)));
        List<JobId> running = enqueue(THREADS, request -> Probe.held(request, "a"));
        running.forEach(id -> awaitStep(id, "a", "entered"));
        List<JobId> waiting = enqueue(WAITING, Probe::watched);
        await().atMost(SOON)
                .until(() ->
                        database.number("SELECT count(*) FROM muster_jobs WHERE node_id = 'a' AND status = 'claimed'")
                                >= WAITING);

        startHere("b");
        node.terminate();
        await("handed over, while the node still waits for what runs")
                .atMost(SOON)
                .until(() ->
                        database.number("SELECT count(*) FROM muster_jobs WHERE node_id = 'a' AND name = 'my_task'")
                                        == THREADS
                                && database.number("SELECT count(*) FROM muster_job_history WHERE name = 'my_task'")
                                        == WAITING);
        running.forEach(id -> witness.open(Probe.gateOf(id)));

        assertThat(node.exitCode(SOON)).as(node.text()).isIn(0, SIGTERM);
        assertThat(database.column("SELECT id FROM muster_nodes")).containsExactly("b");
        running.forEach(id -> assertRanOnceOn("a", id));
        waiting.forEach(id -> assertRanOnceOn("b", id));
    }

    @Test
    void underLoadNothingIsLostOrRunTwice() {
        startHere("b");
        NodeProcess node = node("a");
        // Until the node has had its share: on a busy machine the other one may be much quicker.
        List<JobId> ids = new ArrayList<>();
        await().atMost(SOON).until(() -> {
            ids.addAll(enqueueSleeps(20));
            return database.number("SELECT count(*) FROM muster_job_history WHERE node_id = 'a'") > 20;
        });
        ids.addAll(enqueueSleeps(200));

        node.terminate();

        assertThat(node.exitCode(SOON)).as(node.text()).isIn(0, SIGTERM);
        ids.forEach(id -> {
            assertUncounted(ended(id));
            assertThat(entries(id)).isEqualTo(1);
        });
        assertThat(database.column("SELECT id FROM muster_nodes")).containsExactly("b");
    }

    private List<JobId> enqueueSleeps(int count) {
        return jobs().enqueueAll(Collections.nCopies(count, Probe.watched(JobRequest.of("sleep", new Sleep(30)))));
    }

    private List<JobId> enqueue(int count, UnaryOperator<JobRequest> how) {
        return jobs().enqueueAll(Collections.nCopies(count, how.apply(JobRequest.of("my_task", new MyTask("n")))));
    }

    private void assertRanOnceOn(String node, JobId id) {
        JobInfo job = ended(id);
        assertUncounted(job);
        assertThat(job.node()).isEqualTo(Optional.of(node));
        assertThat(entries(id)).isEqualTo(1);
    }

    private static void assertUncounted(JobInfo job) {
        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.attempt()).as("attempt").isEqualTo(1);
        assertThat(job.crashes()).as("crashes").isZero();
    }
}
