package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.engine.EngineIT;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/**
 * Somebody holds the row of a run in an open transaction when the run is to be parked or ended. Its driver keeps its claim meanwhile, no
 * step is repeated, and other jobs do not wait.
 */
class LockedRunsIT extends EngineIT {
    private static final Duration SOON = Duration.ofSeconds(90);

    /** Runs that stop before they park or end. */
    public static final class Held {
        final List<String> effects = new CopyOnWriteArrayList<>();
        final CountDownLatch inStep = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);

        @Workflow(name = "parks", version = "v1")
        String parks(WorkflowContext wf) {
            wf.step("first", this::first);
            wf.sleep(Duration.ofMillis(200));
            wf.step("second", () -> effects.add("second"));
            return "done";
        }

        @Workflow(name = "ends", version = "v1")
        String ends(WorkflowContext wf) {
            wf.step("first", this::first);
            return "done";
        }

        private void first() throws InterruptedException {
            effects.add("first");
            inStep.countDown();
            goOn.await();
        }

        @Job("other")
        void other() {
            effects.add("other");
        }
    }

    private final Held held = new Held();

    private RunInfo endAfterALock(String workflow, Muster node) throws Exception {
        JobId run = node.workflows().start(workflow, null);
        held.inStep.await();
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SELECT FROM muster_workflow_runs WHERE id = '" + run + "' FOR UPDATE");
            held.goOn.countDown();
            await().atMost(SOON).until(() -> node.workflows().steps(run).size() > 0);
            JobId other = node.jobs().enqueue("other", null);
            await("other jobs of this node end")
                    .atMost(SOON)
                    .until(() -> node.jobs().find(other).orElseThrow().status() == JobStatus.COMPLETED);
            awaitRenewals(run, 3);
            assertThat(held.effects).doesNotHaveDuplicates();
            connection.rollback();
        }
        return node.workflows().await(run, SOON);
    }

    @Test
    void isParkedWhenItIsFreeAndNoStepIsRepeated() throws Exception {
        RunInfo run = endAfterALock("parks", node(held));

        assertThat(run.status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(held.effects).containsExactly("first", "other", "second");
    }

    @Test
    void endsWhenItIsFreeAndNoStepIsRepeated() throws Exception {
        Muster node = node(held);
        RunInfo run = endAfterALock("ends", node);

        assertThat(run.status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(held.effects).containsExactly("first", "other");
        assertThat(node.jobs().find(run.id()).orElseThrow().crashes()).isZero();
    }
}
