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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** SIGTERM, as every deployment sends it. */
class DrainIT extends ChaosTest {
    private static final int SIGTERM = 128 + 15;
    private static final int THREADS = 8;
    private static final int WAITING = 40;
    private static final Duration HANDED_OVER_WITHIN = Duration.ofSeconds(2);

    @Test
    void finishesWhatRunsHandsBackWhatDoesNotAndLeaves() {
        NodeProcess other = node("b");
        other.stop();
        NodeProcess node = node("a", Map.of("worker.prefetch", String.valueOf(WAITING)));
        List<JobId> running = enqueue(THREADS, new Sleep(1_500));
        running.forEach(id -> awaitStep(id, "a", "entered"));
        List<JobId> waiting = enqueue(WAITING, null);
        await().atMost(SOON)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> database.number("SELECT count(*) FROM muster_jobs"
                                + " WHERE name = 'my_task' AND node_id = 'a' AND status = 'claimed'")
                        == WAITING);

        other.cont();
        node.terminate();

        await("handed over")
                .atMost(HANDED_OVER_WITHIN)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> database.number("SELECT count(*) FROM muster_jobs"
                                + " WHERE name = 'my_task' AND node_id IS DISTINCT FROM 'b'")
                        == 0);
        assertThat(node.exitCode(Duration.ofSeconds(8))).as(node.text()).isIn(0, SIGTERM);
        assertThat(database.column("SELECT id FROM muster_nodes")).containsExactly("b");
        List<JobId> all = new ArrayList<>(running);
        all.addAll(waiting);
        all.forEach(id -> {
            assertUncounted(ended(id));
            assertThat(entries(id)).isEqualTo(1);
        });
        running.forEach(id -> assertThat(job(id).node()).isEqualTo(Optional.of("a")));
        waiting.forEach(id -> assertThat(job(id).node()).isEqualTo(Optional.of("b")));
    }

    @Test
    void underLoadNothingIsLostOrRunTwice() {
        node("b");
        NodeProcess node = node("a");
        List<JobId> ids = enqueue(300, new Sleep(30));
        await().atMost(SOON)
                .until(() -> database.number("SELECT count(*) FROM muster_job_history WHERE node_id = 'a'") > 20);

        node.terminate();

        assertThat(node.exitCode(Duration.ofSeconds(8))).as(node.text()).isIn(0, SIGTERM);
        ids.forEach(id -> {
            assertUncounted(ended(id));
            assertThat(entries(id)).isEqualTo(1);
        });
        assertThat(database.column("SELECT id FROM muster_nodes")).containsExactly("b");
    }

    @Test
    void whatCannotFinishInTimeGoesBackUncounted() {
        JobId id = jobs().enqueue(Probe.held(JobRequest.of("my_task", new MyTask("long")), "a"));
        NodeProcess node = node("a", Map.of("worker.drain_timeout", "2s"));
        awaitStatus(id, JobStatus.RUNNING);
        node("b");

        long start = System.nanoTime();
        node.terminate();
        assertThat(node.exitCode(Duration.ofSeconds(10))).as(node.text()).isIn(0, SIGTERM);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
        JobInfo job = ended(id);
        assertUncounted(job);
        assertThat(job.node()).isEqualTo(Optional.of("b"));
        assertThat(witness.steps(id.value(), "a")).contains("interrupted");
        assertThat(database.column("SELECT id FROM muster_nodes")).containsExactly("b");
    }

    private List<JobId> enqueue(int count, Sleep sleep) {
        List<JobRequest> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            JobRequest request =
                    sleep == null ? JobRequest.of("my_task", new MyTask("n")) : JobRequest.of("sleep", sleep);
            requests.add(Probe.watched(request));
        }
        return jobs().enqueueAll(requests);
    }

    private static void assertUncounted(JobInfo job) {
        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.attempt()).as("attempt").isEqualTo(1);
        assertThat(job.crashes()).as("crashes").isZero();
    }
}
