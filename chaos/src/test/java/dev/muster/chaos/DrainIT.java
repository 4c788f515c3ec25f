package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.examples.Greetings.MyTask;
import dev.muster.examples.Greetings.Sleep;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** SIGTERM, as every deployment sends it. */
@Order(1)
class DrainIT extends ChaosIT {
    private static final int SIGTERM = 128 + 15;
    private static final int THREADS = 8;
    private static final int WAITING = 40;
    private static final Duration HANDED_OVER_WITHIN = Duration.ofSeconds(5);

    /** Leases are long here: what moves within seconds was handed back, not recovered. */
    @Test
    void handsBackWhatHasNotStartedFinishesTheRestAndLeaves() {
        Map<String, String> longLeases = Map.of(
                "worker.lease", "60s", "worker.drain_timeout", "30s", "worker.prefetch", String.valueOf(WAITING));
        NodeProcess other = node("b", longLeases);
        other.stop();
        NodeProcess node = node("a", longLeases);
        List<JobId> running = enqueue(THREADS, request -> Probe.held(request, "a"));
        running.forEach(id -> awaitStep(id, "a", "entered"));
        List<JobId> waiting = enqueue(WAITING, Probe::watched);
        await().atMost(SOON)
                .pollInterval(Duration.ofMillis(5))
                .until(() ->
                        database.number("SELECT count(*) FROM muster_jobs WHERE node_id = 'a' AND status = 'claimed'")
                                >= WAITING);

        other.cont();
        node.terminate();
        await("handed over, while the node still waits for what runs")
                .atMost(HANDED_OVER_WITHIN)
                .pollInterval(Duration.ofMillis(20))
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
        node("b");
        NodeProcess node = node("a");
        List<JobId> ids =
                jobs().enqueueAll(Collections.nCopies(300, Probe.watched(JobRequest.of("sleep", new Sleep(30)))));
        await().atMost(SOON)
                .until(() -> database.number("SELECT count(*) FROM muster_job_history WHERE node_id = 'a'") > 20);

        node.terminate();

        assertThat(node.exitCode(SOON)).as(node.text()).isIn(0, SIGTERM);
        ids.forEach(id -> {
            assertUncounted(ended(id));
            assertThat(entries(id)).isEqualTo(1);
        });
        assertThat(database.column("SELECT id FROM muster_nodes")).containsExactly("b");
    }

    @Test
    void whatCannotFinishInTimeGoesBackUncounted() {
        JobId id = jobs().enqueue(Probe.held(JobRequest.of("my_task", new MyTask("long")), "a"));
        NodeProcess node = node("a", Map.of("worker.drain_timeout", "4s"));
        awaitStatus(id, JobStatus.RUNNING);
        node("b");

        long start = System.nanoTime();
        node.terminate();
        assertThat(node.exitCode(Duration.ofSeconds(10))).as(node.text()).isIn(0, SIGTERM);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(6));
        JobInfo job = ended(id);
        assertUncounted(job);
        assertThat(job.node()).isEqualTo(Optional.of("b"));
        assertThat(witness.steps(id.value(), "a")).contains("interrupted");
        assertThat(database.column("SELECT id FROM muster_nodes")).containsExactly("b");
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
