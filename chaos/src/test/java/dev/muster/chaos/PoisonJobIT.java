package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.examples.Greetings.MyTask;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A job that takes its JVM down, among innocent ones. */
class PoisonJobIT extends ChaosTest {
    private static final int INNOCENT = 1_000;
    private static final int MAX_CRASHES = 5;
    private static final Map<String, String> DEEP_BUFFER = Map.of(
            "worker.prefetch", "1200", "worker.lease", "1s", "worker.renew", "250ms", "worker.sweep_interval", "100ms");

    @Test
    void endsAsADeadLetterAndItsNeighboursComplete() {
        JobId poison = JobId.next();
        List<JobRequest> requests = new ArrayList<>();
        for (int i = 0; i < INNOCENT; i++) {
            requests.add(JobRequest.of("my_task", new MyTask("innocent " + i)));
        }
        requests.add(JobRequest.of("crash").id(poison));
        Collections.shuffle(requests, new Random(7));
        List<JobId> ids = new ArrayList<>(jobs().enqueueAll(requests));
        ids.remove(poison);

        int deaths = runNodesUntilPoisonEnds(poison);

        JobInfo dead = job(poison);
        assertThat(dead.status()).isEqualTo(JobStatus.FAILED);
        assertThat(dead.crashes()).isEqualTo(MAX_CRASHES);
        assertThat(dead.error()).hasValueSatisfying(error -> assertThat(error).contains("died running it"));
        // One more than is charged at most: the first death comes before the start was written.
        assertThat(deaths).isBetween(MAX_CRASHES, MAX_CRASHES + 1);
        for (JobId id : ids) {
            JobInfo job = ended(id);
            assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
            assertThat(job.attempt()).isEqualTo(1);
            assertThat(job.crashes()).isLessThanOrEqualTo(1);
        }
    }

    private int runNodesUntilPoisonEnds(JobId poison) {
        int deaths = 0;
        while (true) {
            NodeProcess node = launch("node-" + deaths, DEEP_BUFFER);
            await().atMost(SOON)
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> !node.isAlive() || job(poison).status().isTerminal());
            if (job(poison).status().isTerminal()) {
                return deaths;
            }
            assertThat(node.exitCode(SOON)).as(node.text()).isEqualTo(137);
            deaths++;
            assertThat(deaths).as("deaths").isLessThanOrEqualTo(MAX_CRASHES + 1);
        }
    }
}
