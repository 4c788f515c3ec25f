package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.examples.Greetings.MyTask;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.Priority;
import dev.muster.testing.LongTest;
import dev.muster.testing.Seeds;
import dev.muster.testing.Sizes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A job that takes its JVM down, among innocent ones. */
class PoisonJobIT extends ChaosIT {
    private static final int INNOCENT = Sizes.of(200, 1_000);
    private static final int CRASHES = Sizes.of(2, 5);
    private static final Map<String, String> DEEP_BUFFER =
            Map.of("worker.prefetch", String.valueOf(INNOCENT + INNOCENT / 5));

    /** Each start is on record before the job may halt its JVM. */
    @Test
    void endsAsADeadLetterAndItsNeighboursComplete() {
        JobId poison = JobId.next();
        List<JobId> innocent = enqueueAmongInnocents(
                Probe.heldEverywhere(JobRequest.of("crash")).id(poison).maxCrashes(CRASHES));

        for (int i = 0; i < CRASHES; i++) {
            String id = "node-" + i;
            NodeProcess node = launch(id, DEEP_BUFFER);
            await("its start").atMost(SOON).until(() -> startedOn(poison, id));
            witness.open(Probe.gateOf(poison, id));
            assertThat(node.exitCode(SOON)).as(node.text()).isEqualTo(137);
            loses(id);
        }

        JobInfo dead = assertFailed(poison, CRASHES);
        assertThat(dead.error()).hasValueSatisfying(error -> assertThat(error).contains("died running it"));
        assertOthersComplete(innocent);
    }

    private boolean startedOn(JobId id, String node) {
        return database.number("SELECT count(*) FROM muster_jobs WHERE id = '" + id + "' AND status = 'running'"
                        + " AND node_id = '" + node + "'")
                == 1;
    }

    /** Nothing waits for a lease or for a node to be found dead. */
    @LongTest(
            twin = PoisonJobIT.class,
            test = "endsAsADeadLetterAndItsNeighboursComplete",
            why = "a node that can still say which job ends it")
    @Test
    void oneThatCallsSystemExitEndsAsADeadLetterAndItsNeighboursCompleteUncharged() {
        JobId neighbour =
                jobs().enqueue(JobRequest.of("sleep", Map.of("ms", 700)).priority(Priority.HIGH));
        JobId poison = JobId.next();
        List<JobId> innocent =
                enqueueAmongInnocents(JobRequest.of("exit").id(poison).maxCrashes(2));

        int deaths = 0;
        while (!job(poison).status().isTerminal()) {
            assertThat(deaths).as("nodes that it has ended").isLessThan(2);
            NodeProcess node = launch("node-" + deaths++, DEEP_BUFFER);
            await().atMost(SOON)
                    .until(() -> !node.isAlive() || job(poison).status().isTerminal());
            assertThat(node.exitCode(SOON)).as(node.text()).isZero();
        }

        assertThat(deaths).isEqualTo(2);
        JobInfo dead = assertFailed(poison, 2);
        assertThat(dead.error()).hasValueSatisfying(error -> assertThat(error).contains("it called System.exit"));
        assertOthersComplete(innocent);
        assertThat(database.number("SELECT count(*) FROM muster_job_history WHERE crashes > 0"))
                .isEqualTo(1);
        assertThat(ended(neighbour).attempt()).isEqualTo(1);
    }

    private List<JobId> enqueueAmongInnocents(JobRequest poison) {
        List<JobRequest> requests = new ArrayList<>();
        for (int i = 0; i < INNOCENT; i++) {
            requests.add(JobRequest.of("my_task", new MyTask("innocent " + i)).id(JobId.next()));
        }
        List<JobId> innocent =
                requests.stream().map(request -> request.id().orElseThrow()).toList();
        requests.add(poison);
        Collections.shuffle(requests, new Random(Seeds.next(getClass())));
        jobs().enqueueAll(requests);
        return innocent;
    }

    private JobInfo assertFailed(JobId poison, int crashes) {
        JobInfo dead = job(poison);
        assertThat(dead.status()).isEqualTo(JobStatus.FAILED);
        assertThat(dead.crashes()).isEqualTo(crashes);
        return dead;
    }

    private void assertOthersComplete(List<JobId> innocent) {
        startHere("survivor", DEEP_BUFFER);
        for (JobId id : innocent) {
            JobInfo job = ended(id);
            assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
            assertThat(job.attempt()).isEqualTo(1);
            assertThat(job.crashes()).isLessThanOrEqualTo(1);
        }
    }
}
