package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.internal.workflow.DriverName;
import dev.muster.internal.workflow.Signature;
import dev.muster.job.JobId;
import dev.muster.testkit.Node;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Runs that a newer or a former Muster has stored. */
class OtherBuildsIT extends ExchangedCode {

    /** After a step back to an older Muster. */
    @Test
    void whatANewerMusterHasStoredBlocksTheRunWithASentence() {
        workflow.code = ExchangedCode::stepsAndSleep;
        cluster.node(workflow);
        JobId run = workflows().start("changing", null);
        awaitStatus(run, RunStatus.SLEEPING);
        String step = "UPDATE muster_workflow_steps SET %s WHERE run_id = '" + run + "' AND path = '1'";
        database.execute(step.formatted("kind = 'dance'"));
        cluster.clock().advance(Duration.ofHours(1));
        isBlockedBecause(run, "step 1 'two' has the kind 'dance', which the version of Muster on node");

        database.execute(step.formatted("kind = 'step', status = 'halfway'"));
        cluster.clock().advance(Duration.ofMinutes(1));
        await().atMost(SOON).until(() -> found(run).reason().orElse("").contains("the status 'halfway'"));

        String end = "UPDATE muster_workflow_runs SET ends_as = %s WHERE id = '" + run + "'";
        database.execute(step.formatted("status = 'completed'"));
        database.execute(end.formatted("'sunk'"));
        cluster.clock().advance(Duration.ofMinutes(1));
        await().atMost(SOON)
                .until(() -> found(run).reason().orElse("").contains("to end as 'sunk', which the version"));
        database.execute(end.formatted("NULL"));

        database.execute(step.formatted("status = 'completed'"));
        cluster.clock().advance(Duration.ofMinutes(1));
        assertThat(ended(run).status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(workflow.effects).containsExactly("one", "two", "three");
    }

    /** It can be ended only where the code of its compensations would be found: here it would be claimed again and again. */
    @Test
    void aCancelledRunWithWhatANewerMusterHasStoredWaitsForANewerNode() {
        workflow.code = ExchangedCode::stepsAndSleep;
        cluster.node(workflow);
        JobId run = workflows().start("changing", null);
        awaitStatus(run, RunStatus.SLEEPING);
        String step = "UPDATE muster_workflow_steps SET %s WHERE run_id = '" + run + "' AND path = '1'";
        database.execute(step.formatted("kind = 'dance'"));

        assertThat(workflows().cancel(run, "enough")).isTrue();

        isBlockedOnceAndThenWaits(run);
        database.execute(step.formatted("kind = 'step'"));
        cluster.clock().advance(Duration.ofMinutes(1));
        assertThat(ended(run).status()).isEqualTo(RunStatus.CANCELLED_BY_OPERATOR);
        assertThat(workflow.effects).containsExactly("one", "two");
    }

    private void isBlockedOnceAndThenWaits(JobId run) {
        awaitStatus(run, RunStatus.BLOCKED_SIGNATURE_MISMATCH);
        await().atMost(SOON)
                .until(() -> database.number("SELECT count(*) FROM muster_jobs WHERE id = '" + run
                                + "' AND token IS NULL AND ready_at > muster_clock()")
                        == 1);
    }

    @Test
    void listsLiveWithWhatANewerMusterHasStored() {
        cluster.node(workflow);
        JobId run = workflows().start("changing", null);
        assertThat(ended(run).status()).isEqualTo(RunStatus.COMPLETED);
        database.execute(
                "ALTER TABLE muster_workflow_runs DROP CONSTRAINT muster_workflow_runs_status_check;"
                        + " UPDATE muster_workflow_runs SET status = 'hibernating'; UPDATE muster_workflow_definitions SET lifecycle = 'sunset'");

        assertThat(workflows().list(Workflows.RunQuery.all()))
                .extracting(RunInfo::status)
                .containsExactly(RunStatus.UNKNOWN);
        assertThat(workflows().definitions())
                .extracting(DefinitionInfo::lifecycle)
                .containsExactly(Workflow.Lifecycle.UNKNOWN);
        assertThatThrownBy(
                        () -> workflows().start(RunRequest.of("changing", null).version("v1")))
                .hasMessageContaining("has a life cycle that this version of Muster does not know");
    }

    /** Sizes, as people and as the database know them. */
    public static final class Sized {
        enum Size {
            SMALL,
            LARGE;

            @Override
            public String toString() {
                return name().toLowerCase(Locale.ROOT);
            }
        }

        @Workflow(name = "sized", version = "v1")
        String sized(WorkflowContext wf, Size size) {
            return wf.awaitEvent("go", String.class) + " " + size.name();
        }
    }

    /** Former builds of Muster took into account what the constants of an enum say of themselves. */
    @Test
    void aRunWithTheFormerSignatureOfItsVersionContinues() {
        Node first = cluster.node(new Sized());
        JobId run = workflows().start("sized", Sized.Size.LARGE);
        awaitStatus(run, RunStatus.WAITING);
        first.close();
        String former = Signature.former("sized", "v1", Sized.Size.class, String.class, List.of())
                .digest();
        assertThat(database.number(
                        "SELECT count(*) FROM muster_workflow_definitions WHERE signature = '" + former + "'"))
                .isZero();
        database.execute("UPDATE muster_workflow_runs SET signature = '" + former + "' WHERE id = '" + run + "';"
                + " UPDATE muster_jobs SET name = '" + DriverName.of("sized", "v1", former) + "' WHERE id = '" + run
                + "'");

        cluster.node(new Sized());
        workflows().signal(run, "go", "on");

        assertThat(ended(run).result()).contains("\"on LARGE\"");
    }
}
