package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.job.JobId;
import dev.muster.testing.Sizes;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Pausing and resuming workflows while their runs are executed. */
class PausesIT extends WorkflowCluster {

    /** Three steps, the first of which a test can hold. */
    public static final class Steps {
        final List<String> effects = new CopyOnWriteArrayList<>();
        final CountDownLatch inFirst = new CountDownLatch(1);
        volatile CountDownLatch mayEnd = new CountDownLatch(0);

        @Workflow(name = "steps", version = "v1")
        String steps(WorkflowContext wf) {
            wf.step("first", () -> {
                inFirst.countDown();
                mayEnd.await();
            });
            wf.stepIn("second", Void.class, connection -> {
                effects.add("second");
                return null;
            });
            wf.step("third", () -> effects.add("third"));
            return "done";
        }
    }

    private final Steps steps = new Steps();

    @Test
    void aRunThatIsExecutedStopsBeforeItsNextStep() throws InterruptedException {
        steps.mayEnd = new CountDownLatch(1);
        cluster.node(steps);
        JobId run = workflows().start("steps", null);
        assertThat(steps.inFirst.await(90, TimeUnit.SECONDS)).isTrue();

        workflows().pause("steps");
        steps.mayEnd.countDown();

        awaitStatus(run, RunStatus.WAITING);
        assertThat(found(run).reason()).contains("the workflow is paused");
        assertThat(steps.effects).isEmpty();
        workflows().resume("steps");
        assertThat(ended(run).result()).contains("\"done\"");
        assertThat(steps.effects).containsExactly("second", "third");
    }

    /** As if whoever called resume had died after it had ended the pause. */
    @Test
    void runsThatNobodyHasWokenAfterThePauseAreFound() {
        cluster.node(steps);
        workflows().pause("steps");
        JobId run = workflows().start("steps", null);
        awaitStatus(run, RunStatus.WAITING);

        database.execute("DELETE FROM muster_workflow_pauses");

        assertThat(ended(run).result()).contains("\"done\"");
    }

    @Test
    void noRunIsLeftBehindHoweverResumesAndParksMeet() {
        cluster.node(steps);
        for (int round = 0; round < Sizes.of(4, 20); round++) {
            workflows().pause("steps");
            List<JobId> runs = workflows()
                    .startAll(IntStream.range(0, 20)
                            .mapToObj(number -> RunRequest.of("steps", null))
                            .toList());
            // Some are parked by now, some are about to be, some are not claimed yet.
            await().atMost(SOON)
                    .until(() ->
                            runs.stream().anyMatch(run -> found(run).reason().isPresent()));
            workflows().resume("steps");

            runs.forEach(run -> assertThat(ended(run).status()).isEqualTo(RunStatus.COMPLETED));
        }
    }

    @Test
    void anOperatorsOpenTransactionOnARunDelaysNeitherJobsNorOtherRuns() throws Exception {
        steps.mayEnd = new CountDownLatch(1);
        cluster.node(steps);
        JobId locked = workflows().start("steps", null);
        assertThat(steps.inFirst.await(90, TimeUnit.SECONDS)).isTrue();
        try (var connection = database.dataSource().getConnection();
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SELECT FROM muster_workflow_runs WHERE id = '" + locked + "' FOR UPDATE");
            steps.mayEnd.countDown();

            List<JobId> others = workflows()
                    .startAll(IntStream.range(0, 50)
                            .mapToObj(number -> RunRequest.of("steps", null))
                            .toList());

            others.forEach(run -> assertThat(ended(run).status()).isEqualTo(RunStatus.COMPLETED));
            assertThat(found(locked).status()).isEqualTo(RunStatus.RUNNING);
            connection.rollback();
        }
        assertThat(ended(locked).status()).isEqualTo(RunStatus.COMPLETED);
    }
}
