package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.examples.Greetings.MyTask;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.Priority;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A job that takes its JVM down, among innocent ones. */
class PoisonJobIT extends ChaosIT {
    private static final int INNOCENT = 1_000;
    private static final int MAX_CRASHES = 5;
    private static final Map<String, String> DEEP_BUFFER = Map.of(
            "worker.prefetch", "1200", "worker.lease", "1s", "worker.renew", "250ms", "worker.sweep_interval", "100ms");

    @Test
    void endsAsADeadLetterAndItsNeighboursComplete() {
        // One more than is charged at most: the first death comes before the start was written.
        JobInfo dead = endsAmongInnocents(JobRequest.of("crash"), MAX_CRASHES, DEEP_BUFFER, 137, MAX_CRASHES + 1);
        assertThat(dead.error()).hasValueSatisfying(error -> assertThat(error).contains("died running it"));
    }

    /** With the settings that a user gets: nothing waits for a lease or for a node to be found dead. */
    @Test
    void oneThatCallsSystemExitEndsAsADeadLetterAndItsNeighboursCompleteUncharged() {
        Map<String, String> defaults = Map.of(
                "worker.prefetch", "1200", "worker.lease", "30s", "worker.renew", "10s", "worker.drain_timeout", "30s");
        JobId neighbour =
                jobs().enqueue(JobRequest.of("sleep", Map.of("ms", 700)).priority(Priority.HIGH));
        JobInfo dead = endsAmongInnocents(JobRequest.of("exit").maxCrashes(2), 2, defaults, 0, 2);
        assertThat(dead.error()).hasValueSatisfying(error -> assertThat(error).contains("it called System.exit"));
        assertThat(database.number("SELECT count(*) FROM muster_job_history WHERE crashes > 0"))
                .isEqualTo(1);
        assertThat(ended(neighbour).attempt()).isEqualTo(1);
    }

    /** @param most how many nodes it may take with it */
    private JobInfo endsAmongInnocents(
            JobRequest request, int maxCrashes, Map<String, String> settings, int exitCode, int most) {
        JobId poison = JobId.next();
        List<JobRequest> requests = new ArrayList<>();
        for (int i = 0; i < INNOCENT; i++) {
            requests.add(JobRequest.of("my_task", new MyTask("innocent " + i)));
        }
        requests.add(request.id(poison));
        Collections.shuffle(requests, new Random(7));
        List<JobId> ids = new ArrayList<>(jobs().enqueueAll(requests));
        ids.remove(poison);

        int deaths = runNodesUntilPoisonEnds(poison, settings, exitCode, most);

        JobInfo dead = job(poison);
        assertThat(dead.status()).isEqualTo(JobStatus.FAILED);
        assertThat(dead.crashes()).isEqualTo(maxCrashes);
        // The last death may come after the crash was charged.
        assertThat(deaths).isBetween(maxCrashes - 1, most);
        launch("survivor", settings);
        for (JobId id : ids) {
            JobInfo job = ended(id);
            assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
            assertThat(job.attempt()).isEqualTo(1);
            assertThat(job.crashes()).isLessThanOrEqualTo(1);
        }
        return dead;
    }

    private int runNodesUntilPoisonEnds(JobId poison, Map<String, String> settings, int exitCode, int most) {
        int deaths = 0;
        while (true) {
            NodeProcess node = launch("node-" + deaths, settings);
            await().atMost(SOON)
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> !node.isAlive() || job(poison).status().isTerminal());
            if (job(poison).status().isTerminal()) {
                return deaths;
            }
            assertThat(node.exitCode(SOON)).as(node.text()).isEqualTo(exitCode);
            deaths++;
            assertThat(deaths).as("deaths").isLessThanOrEqualTo(most);
        }
    }
}
