package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.workflow.WorkflowStore.Definition;
import dev.muster.internal.workflow.WorkflowStore.Ended;
import dev.muster.internal.workflow.WorkflowStore.EndedParent;
import dev.muster.internal.workflow.WorkflowStore.FailedRun;
import dev.muster.internal.workflow.WorkflowStore.FormerChild;
import dev.muster.internal.workflow.WorkflowStore.FormerState;
import dev.muster.internal.workflow.WorkflowStore.NewRun;
import dev.muster.internal.workflow.WorkflowStore.Retry;
import dev.muster.internal.workflow.WorkflowStore.StepKind;
import dev.muster.internal.workflow.WorkflowStore.StepRow;
import dev.muster.internal.workflow.WorkflowStore.StepState;
import dev.muster.job.ClaimLost;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobOptions;
import dev.muster.job.Priority;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.Workflow.Lifecycle;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Children and successors of runs: the parent is told how a child ended, and a successor takes the place of the run before it. */
abstract class ChildRunContract extends WorkflowStoreContract {
    /** A run that waits for the child at path 0, and that child. */
    private ClaimRef parentOf(JobId child) {
        ClaimRef parent = executing(RunDraft.of("parent"));
        start(RunDraft.of("child").id(child).childOf(parent.id(), "0"));
        return parent;
    }

    private void waitForChild(ClaimRef parent) {
        write(parked(parent, null, "muster:child:0"));
    }

    private String told(ClaimRef parent) {
        ClaimRef claim = claimDriver(LEASE);
        assertThat(claim.id()).isEqualTo(parent.id());
        return String.valueOf(runs().awaitEvent(
                        held(claim),
                        RunDraft.step("0", "child", StepKind.CHILD, StepState.WAITING, null),
                        "muster:child:0",
                        null,
                        "n1")
                .row()
                .result());
    }

    @Test
    void theEndOfAChildIsAnEventOfItsParent() {
        JobId child = JobId.next();
        ClaimRef parent = parentOf(child);
        ClaimRef claim = claimDriver(LEASE);
        waitForChild(parent);

        write(new Ended(claim, RunStatus.COMPLETED, "{\"x\": 1}", null, List.of(), null, true, null));

        assertThat(told(parent)).contains(child.toString(), "completed");
    }

    @Test
    void aParentIsToldOfAChildThatAnOperatorGaveUp() {
        ClaimRef parent = parentOf(JobId.next());
        waitForChild(parent);

        runs().retire("child", "v1", "gone");

        assertThat(told(parent)).contains("retired_unresumable", "gone");
    }

    @Test
    void aParentIsToldOfAChildWhoseNodesDiedTooOften() {
        ClaimRef parent = parentOf(JobId.next());
        ClaimRef child = claimDriver(LEASE);
        waitForChild(parent);
        write(new Outcome.Failed(child, "its node died running it"));

        inTransaction(tx -> runs().revive(tx, null));

        assertThat(told(parent)).contains("failed", "its node died running it");
    }

    @Test
    void aSuccessorTakesThePlaceOfAChild() {
        JobId child = JobId.next();
        ClaimRef parent = parentOf(child);
        ClaimRef claim = claimDriver(LEASE);
        waitForChild(parent);
        NewRun successor = RunDraft.of("child").run();

        write(ended(claim, RunStatus.COMPLETED, successor));

        ClaimRef next = claimDriver(LEASE);
        assertThat(next.id()).as("the parent still waits").isEqualTo(successor.id());
        write(new Ended(next, RunStatus.COMPLETED, null, null, List.of(), null, true, null));
        assertThat(told(parent)).contains(successor.id().toString());
    }

    @Test
    void aSuccessorMayHaveAnotherVersion() {
        ClaimRef claim = executing(RunDraft.of("a").key("k"));
        Definition newer = new Definition(
                "a",
                "v2",
                "fedcba9876543210",
                Lifecycle.ACTIVE,
                List.of(),
                JobOptions.DEFAULTS.queue("other").maxCrashes(1).priority(Priority.LOW));
        NewRun successor = RunDraft.of(newer).run();

        write(ended(claim, RunStatus.COMPLETED, successor));

        assertThat(run(successor.id()))
                .extracting(RunInfo::version, RunInfo::key)
                .containsExactly("v2", Optional.of("k"));
        assertThat(find(successor.id()))
                .extracting(JobInfo::name, JobInfo::queue, JobInfo::priority)
                .containsExactly(newer.driver(), "other", Priority.NORMAL);
    }

    @Test
    void eventsThatNobodyHasTakenAndThoseThatComeLaterReachTheSuccessor() {
        ClaimRef claim = executing();
        runs().signal(claim.id(), "e1", "go", "1");
        NewRun successor = RunDraft.of("a").run();
        write(ended(claim, RunStatus.COMPLETED, successor));

        assertThat(runs().signal(claim.id(), "e2", "go", "2").known()).isFalse();
        assertThat(runs().signal(claim.id(), "e1", "go", "1").known()).isTrue();

        ClaimRef next = claimDriver(LEASE);
        assertThat(await(next, "0", null).row().result()).isEqualTo("1");
        assertThat(await(next, "1", null).row().result()).isEqualTo("2");
        assertThat(await(next, "2", null).row().state()).isEqualTo(StepState.WAITING);
        assertThat(runs().chain(next.id()).orElseThrow()).satisfies(chain -> {
            assertThat(chain.first()).isEqualTo(claim.id());
            assertThat(chain.last()).isEqualTo(next.id());
        });
    }

    /** Retention may have deleted the child since, and a retry of the parent may have forgotten that it waited for it. */
    @Test
    void aChildThatHasToldItsEndIsNotStartedAgain() {
        JobId child = JobId.next();
        ClaimRef parent = parentOf(child);
        ClaimRef claim = claimDriver(LEASE);
        write(new Ended(claim, RunStatus.COMPLETED, null, null, List.of(), null, true, null));
        advance(Duration.ofHours(2));
        inTransaction(tx -> runs().forgetRuns(tx, Duration.ofHours(1)));
        assertThat(runs().find(child)).isEmpty();

        runs().startChild(
                        held(parent),
                        RunDraft.of("child").id(child).childOf(parent.id(), "0").run());

        assertThat(runs().find(child)).isEmpty();
    }

    /** A parent that has failed because of its step 0, which comes before the child at path 1, and is executed again after a retry; its child has completed. */
    private ClaimRef retriedParentOf(JobId child) {
        ClaimRef parent = executing(RunDraft.of("parent"));
        save(parent, "0", "1");
        start(RunDraft.of("child").id(child).childOf(parent.id(), "1"));
        write(new Ended(claimDriver(LEASE), RunStatus.COMPLETED, null, null, List.of(), null, true, null));
        awaitChild(parent);
        write(new Ended(parent, RunStatus.FAILED, null, "no", List.of("0"), null, false, null));
        FailedRun seen = runs().failedRun(parent.id()).orElseThrow();
        assertThat(runs().retry(List.of(new Retry(seen, List.of("0", "1"))))).containsExactly(DEFAULT);
        return claimDriver(LEASE);
    }

    private StepRow awaitChild(ClaimRef parent) {
        return runs().awaitEvent(
                        held(parent),
                        RunDraft.step("1", "child", StepKind.CHILD, StepState.WAITING, null),
                        "muster:child:1",
                        null,
                        "n1")
                .row();
    }

    private NewRun childAt1(ClaimRef parent, JobId id) {
        return RunDraft.of("child").id(id).childOf(parent.id(), "1").run();
    }

    @Test
    void aChildThatARetryHasForgottenCountsAgainOnlyIfItsParentSaysSo() {
        JobId child = JobId.next();
        ClaimRef parent = retriedParentOf(child);

        FormerChild former =
                runs().startChild(held(parent), childAt1(parent, JobId.next())).former();

        assertThat(former).isNotNull();
        assertThat(former.id()).isEqualTo(child);
        assertThat(former.again()).as("it has not ended its parent").isFalse();
        assertThat(former.state()).isEqualTo(new FormerState(child, child, "child", "{}", RunStatus.COMPLETED, false));
        assertThat(awaitChild(parent).state()).isEqualTo(StepState.WAITING);
        assertThatThrownBy(() -> runs().tellAgain(held(new ClaimRef(parent.id(), parent.token() - 1)), "1"))
                .isInstanceOf(ClaimLost.class);
        runs().tellAgain(held(parent), "1");
        assertThat(awaitChild(parent).result()).contains(child.toString(), "completed");
    }

    @Test
    void aChildInThePlaceOfAForgottenOneTellsItsOwnEnd() {
        JobId former = JobId.next();
        ClaimRef parent = retriedParentOf(former);
        NewRun child = childAt1(parent, JobId.next());
        assertThatThrownBy(() -> runs().replaceChild(held(new ClaimRef(parent.id(), parent.token() - 1)), child))
                .isInstanceOf(ClaimLost.class);

        assertThat(runs().replaceChild(held(parent), child).lanes()).containsExactly(DEFAULT);
        assertThat(runs().replaceChild(held(parent), child).lanes())
                .as("its commit was not acknowledged")
                .isEmpty();

        assertThat(awaitChild(parent).state()).isEqualTo(StepState.WAITING);
        assertThat(runs().startChild(held(parent), child).former())
                .as("another child is there")
                .isEqualTo(new FormerChild(former, false, null));
        write(new Ended(claimDriver(LEASE), RunStatus.COMPLETED, null, null, List.of(), null, true, null));
        assertThat(awaitChild(parent).result()).contains(child.id().toString());
    }

    /** Somebody may have seen both as they were before the parent ended. */
    @Test
    void aChildWhoseParentHasFailedContinuesOnlyTogetherWithIt() {
        JobId child = JobId.next();
        ClaimRef parent = parentOf(child);
        write(new Ended(claimDriver(LEASE), RunStatus.FAILED, null, "no", List.of(), null, true, null));
        FailedRun before = runs().failedRun(child).orElseThrow();
        assertThat(before.parent()).as("it lives").isNull();
        write(new Ended(parent, RunStatus.FAILED, null, "no", List.of("0"), null, false, null));
        FailedRun seen = runs().failedRun(parent.id()).orElseThrow();

        assertThat(runs().retry(List.of(new Retry(before, List.of())))).isEmpty();
        assertThat(runs().failedRun(child).orElseThrow().parent())
                .isEqualTo(new EndedParent(parent.id(), RunStatus.FAILED));
        assertThat(runs().retry(List.of(new Retry(seen, List.of("0")), new Retry(before, List.of()))))
                .containsExactly(DEFAULT);
        assertThat(due()).containsExactlyInAnyOrder(parent.id(), child);
    }

    @Test
    void aRunThatWasAskedToEndIsNotContinued() {
        ClaimRef claim = executing();
        runs().cancel(claim.id(), "not needed");
        NewRun successor = RunDraft.of("a").run();

        write(new Ended(claim, RunStatus.COMPLETED, null, null, List.of(), "continued", false, successor));

        assertThat(runs().find(successor.id())).isEmpty();
        assertThat(run(claim)).satisfies(run -> {
            assertThat(run.status().isTerminal()).isFalse();
            assertThat(run.reason()).contains("not needed");
            assertThat(run.continuedAs()).isEmpty();
        });
        ClaimRef again = claimDriver(LEASE);
        assertThat(again.id()).isEqualTo(claim.id());
        assertThat(runs().load(again).orElseThrow().cancelRequested()).isTrue();
    }

    @Test
    void aRunThatAnOperatorGaveUpIsNotContinued() {
        ClaimRef claim = executing();
        runs().cancel(claim.id(), "not needed");
        runs().retire("a", "v1", "gone");
        NewRun successor = RunDraft.of("a").run();

        write(ended(claim, RunStatus.COMPLETED, successor));

        assertThat(runs().find(successor.id())).isEmpty();
        assertThat(run(claim).status()).isEqualTo(RunStatus.RETIRED_UNRESUMABLE);
        assertThat(due()).isEmpty();
    }

    @Test
    void theChildrenOfARunAreAskedToEnd() {
        JobId child = JobId.next();
        ClaimRef parent = parentOf(child);

        assertThat(runs().cancelChildren(parent, "its parent has failed")).containsExactly(DEFAULT);

        assertThat(run(child).cancelRequested()).isTrue();
        assertThat(run(parent).cancelRequested()).isFalse();
        assertThat(runs().cancelChildren(parent, "again")).isEmpty();
        assertThatThrownBy(() -> runs().cancelChildren(new ClaimRef(parent.id(), parent.token() - 1), "stale"))
                .as("a node that has lost the parent")
                .isInstanceOf(ClaimLost.class);
    }
}
