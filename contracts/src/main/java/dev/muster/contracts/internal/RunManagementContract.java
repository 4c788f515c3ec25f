package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.muster.cluster.NodeStatus;
import dev.muster.internal.access.TimeStore;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.workflow.WorkflowStore.Definition;
import dev.muster.internal.workflow.WorkflowStore.Ended;
import dev.muster.internal.workflow.WorkflowStore.FailedRun;
import dev.muster.internal.workflow.WorkflowStore.Parked;
import dev.muster.internal.workflow.WorkflowStore.Retry;
import dev.muster.internal.workflow.WorkflowStore.Revived;
import dev.muster.internal.workflow.WorkflowStore.StepKind;
import dev.muster.internal.workflow.WorkflowStore.StepRow;
import dev.muster.internal.workflow.WorkflowStore.StepState;
import dev.muster.internal.workflow.WorkflowStore.Stranded;
import dev.muster.internal.workflow.WorkflowStore.Window;
import dev.muster.job.ClaimLost;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.workflow.DefinitionInfo;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.StepInfo;
import dev.muster.workflow.Workflow.Lifecycle;
import dev.muster.workflow.Workflows.RunQuery;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What operators and the leader do with runs: cancel, retry, retire, pause, revive, mark as blocked, list and forget them. */
abstract class RunManagementContract extends WorkflowStoreContract {
    @Test
    void aCancelledRunIsDueAtOnceAndToldAtItsNextStep() {
        ClaimRef parked = executing();
        write(parked(parked, null, "go"));
        ClaimRef claim = executing(RunDraft.of("b"));

        assertThat(runs().cancel(parked.id(), "enough")).contains(DEFAULT);
        assertThat(runs().cancel(claim.id(), "enough")).contains(DEFAULT);

        assertThat(due()).containsExactly(parked.id());
        assertThat(save(claim, "0", "1").cancelRequested()).isTrue();
        write(ended(claim, RunStatus.CANCELLED_BY_OPERATOR, null));
        assertThat(runs().cancel(claim.id(), "again")).isEmpty();
    }

    @Test
    void aFailedRunContinuesWithWhatFailed() {
        ClaimRef claim = executing();
        save(claim, "0", "1");
        runs().save(held(claim), RunDraft.step("1", "step", StepKind.STEP, StepState.FAILED, null), "n1");
        assertThat(runs().failedRun(claim.id())).as("it has not failed yet").isEmpty();
        assertThat(retry(claim, "1")).isEmpty();
        write(new Ended(claim, RunStatus.FAILED, null, "no", List.of("1"), null, false, null));
        assertThat(runs().failedRun(claim.id()).orElseThrow().failedSteps()).containsExactly("1");

        assertThat(retry(claim, "1")).contains(DEFAULT);
        assertThat(retry(claim, "1")).isEmpty();

        assertThat(due()).containsExactly(claim.id());
        assertThat(runs().steps(claim.id())).extracting(StepInfo::path).containsExactly("0");
    }

    private Set<Lane> retry(ClaimRef claim, String forget) {
        return runs().failedRun(claim.id())
                .map(seen -> runs().retry(List.of(new Retry(seen, List.of(forget)))))
                .orElse(Set.of());
    }

    /** An event whose wait has failed does not fit; one that was taken after that is free again. */
    @Test
    void aRetryGivesBackTheEventsOfForgottenWaitsExceptThoseThatHaveFailed() {
        ClaimRef claim = executing();
        runs().signal(claim.id(), "e1", "go", "1");
        runs().signal(claim.id(), "e2", "go", "2");
        await(claim, "0", null);
        await(claim, "1", null);
        write(new Ended(claim, RunStatus.FAILED, null, "no", List.of("0"), null, false, null));
        FailedRun seen = runs().failedRun(claim.id()).orElseThrow();

        assertThat(runs().retry(List.of(new Retry(seen, List.of("0", "1"))))).isNotEmpty();

        ClaimRef again = claimDriver(LEASE);
        assertThat(await(again, "0", null).row().result()).isEqualTo("2");
        assertThat(await(again, "1", null).row().state()).isEqualTo(StepState.WAITING);
    }

    /** If one of them is being retried by somebody else, none is: it would tell its parent nothing, or twice. */
    @Test
    void aFailedRunAndItsChildGoOnTogetherOrNotAtAll() {
        ClaimRef parent = executing();
        write(new Ended(parent, RunStatus.FAILED, null, "no", List.of(), null, false, null));
        ClaimRef child = executing();
        write(new Ended(child, RunStatus.FAILED, null, "no", List.of(), null, false, null));
        Retry one = new Retry(runs().failedRun(parent.id()).orElseThrow(), List.of());
        Retry other = new Retry(runs().failedRun(child.id()).orElseThrow(), List.of());

        assertThat(runs().retry(List.of(other))).containsExactly(DEFAULT);
        assertThat(runs().retry(List.of(one, other))).isEmpty();
        assertThat(runs().failedRun(parent.id())).isPresent();
        assertThat(runs().retry(List.of(one))).containsExactly(DEFAULT);
        assertThat(due()).containsExactlyInAnyOrder(parent.id(), child.id());
    }

    @Test
    void aRetryThatHasLookedAtAnEarlierFailureForgetsNothing() {
        ClaimRef claim = executing();
        save(claim, "0", "1");
        write(new Ended(claim, RunStatus.FAILED, null, "no", List.of("0"), null, false, null));
        FailedRun seen = runs().failedRun(claim.id()).orElseThrow();
        assertThat(runs().retry(List.of(new Retry(seen, List.of())))).isNotEmpty();
        write(new Ended(claimDriver(LEASE), RunStatus.FAILED, null, "no", List.of("1"), null, false, null));

        assertThat(runs().retry(List.of(new Retry(seen, List.of("0"))))).isEmpty();

        assertThat(runs().steps(claim.id())).extracting(StepInfo::path).containsExactly("0");
        assertThat(runs().failedRun(claim.id())).isPresent();
    }

    @Test
    void runsOfARetiredVersionEndAndStoreNothingMore() {
        ClaimRef parked = executing();
        write(parked(parked, null));
        ClaimRef claim = executing();
        JobId other = start(RunDraft.of(RunDraft.version("a", "v2")));

        assertThat(runs().retire("a", "v1", "gone")).isEqualTo(2);

        assertThat(run(parked).status()).isEqualTo(RunStatus.RETIRED_UNRESUMABLE);
        assertThat(run(parked).reason()).contains("gone");
        assertThat(run(parked).finishedAt()).isPresent();
        assertThatThrownBy(() -> save(claim, "0", "1")).isInstanceOf(ClaimLost.class);
        assertThatThrownBy(() -> await(claim, "0", null)).isInstanceOf(ClaimLost.class);
        assertThat(write(ended(claim, RunStatus.COMPLETED, null)).rejected()).isEmpty();
        assertThat(run(claim).status()).isEqualTo(RunStatus.RETIRED_UNRESUMABLE);
        assertThat(runs().steps(claim.id())).isEmpty();
        assertThat(due()).containsExactly(other);
    }

    @Test
    void aPausedWorkflowIsResumedOnce() {
        ClaimRef claim = executing();
        runs().pause("a", true);
        assertThat(runs().load(claim).orElseThrow().paused()).isTrue();
        assertThat(await(claim, "0", null).paused())
                .as("also who found its event begins no further step")
                .isTrue();
        write(new Parked(claim, RunStatus.WAITING, null, Set.of(), "the workflow is paused", true));
        assertThat(inTransaction(tx -> runs().revive(tx, null)).lanes())
                .as("the leader wakes no run of a paused workflow")
                .isEmpty();
        assertThat(due()).isEmpty();

        assertThat(runs().pause("a", false)).containsExactly(DEFAULT);

        assertThat(runs().load(claim).orElseThrow().paused()).isFalse();
        assertThat(due()).containsExactly(claim.id());
        assertThat(runs().pause("a", false)).isEmpty();
    }

    @Test
    void aRunWhoseDriverDiedCompensatesOrHasFailed() {
        ClaimRef plain = executing();
        ClaimRef compensating = executing(RunDraft.of("b"));
        runs().save(
                        held(compensating),
                        new StepRow(
                                "0",
                                "step",
                                StepKind.STEP,
                                StepState.COMPLETED,
                                1,
                                "1",
                                null,
                                null,
                                null,
                                "undo",
                                "{}"),
                        "n1");
        write(new Outcome.Failed(plain, "died"), new Outcome.Failed(compensating, "died"));

        Revived revived = inTransaction(tx -> runs().revive(tx, null));

        assertThat(revived.failed()).containsExactly(plain.id());
        assertThat(revived.lanes()).containsExactly(DEFAULT);
        assertThat(revived.next()).isNull();

        assertThat(run(plain).status()).isEqualTo(RunStatus.FAILED);
        assertThat(run(plain).error()).contains("died");
        assertThat(run(compensating).status()).isEqualTo(RunStatus.COMPENSATING);
        assertThat(due()).containsExactly(compensating.id());
        assertThat(inTransaction(tx -> runs().revive(tx, null)).lanes())
                .as("once")
                .isEmpty();
    }

    private void join(String node, Definition... definitions) {
        store().nodes()
                .join(
                        Nodes.worker(
                                node,
                                Arrays.stream(definitions)
                                        .map(Definition::driver)
                                        .toList()),
                        NodeStatus.ACTIVE,
                        null,
                        null);
        runs().publish(List.of(definitions));
    }

    @Test
    void newRunsGetTheNewestActiveVersionThatALiveNodeHas() {
        Definition old = RunDraft.version("a", "v1");
        Definition newer = RunDraft.version("a", "v2");
        Definition staging = RunDraft.version("a", "v3", "0123456789abcdef", Lifecycle.STAGING);
        runs().publish(List.of(newer));
        assertThat(runs().resolve("a", null)).as("no live node has it").isEmpty();
        join("n1", old);
        join("n2", newer, staging);

        assertThat(runs().resolve("a", null).map(Definition::version)).contains("v1");
        assertThat(runs().resolve("a", "v3").map(Definition::version)).contains("v3");
        assertThat(runs().resolve("a", "v4")).isEmpty();
        assertThat(runs().definitions()).hasSize(3).allMatch(definition -> definition.live());
    }

    @Test
    void runsOfADeprecatedVersionContinueInTheNewestActiveOneThatALiveNodeHas() {
        Definition old = RunDraft.version("a", "v1");
        Definition newer = RunDraft.version("a", "v2");
        Definition staging = RunDraft.version("a", "v3", "0123456789abcdef", Lifecycle.STAGING);
        join("n1", old, newer, staging);
        assertThat(runs().resolveInsteadOf("a", "v1")).as("it is active").isEmpty();
        assertThat(runs().resolveInsteadOf("a", "v3"))
                .as("it is not deprecated")
                .isEmpty();

        join("n1", RunDraft.version("a", "v1", "0123456789abcdef", Lifecycle.DEPRECATED), newer, staging);
        assertThat(runs().resolveInsteadOf("a", "v1").map(Definition::version)).contains("v2");
        assertThat(runs().resolveInsteadOf("b", "v1")).as("another workflow").isEmpty();

        join("n1", old, RunDraft.version("a", "v2", "0123456789abcdef", Lifecycle.DEPRECATED), staging);
        runs().publish(List.of(RunDraft.version("a", "v4")));
        assertThat(runs().resolveInsteadOf("a", "v1")).as("no live node has v4").isEmpty();
    }

    /** For example because both versions have the same type as their input, and a member was added to it. */
    @Test
    void aNewSignatureOfAnOldVersionIsNoNewerVersion() {
        Definition old = RunDraft.version("a", "v1");
        Definition newer = RunDraft.version("a", "v2");
        join("n1", old, newer);

        join("n2", newer, RunDraft.version("a", "v1", "fedcba9876543210", Lifecycle.ACTIVE));

        assertThat(runs().resolve("a", null).map(Definition::version)).contains("v2");
        assertThat(runs().resolve("a", "v1").map(Definition::signature)).contains("fedcba9876543210");
    }

    /** Nodes with older code are still up, and publish their versions again and again. */
    @Test
    void aVersionThatOneBuildHasDeprecatedStaysSo() {
        Definition before = RunDraft.version("a", "v1");
        Definition deprecated = RunDraft.version("a", "v1", "0123456789abcdef", Lifecycle.DEPRECATED);
        Definition otherwise = RunDraft.version("a", "v1", "fedcba9876543210", Lifecycle.ACTIVE);
        Definition yetAnother = RunDraft.version("a", "v1", "00ff00ff00ff00ff", Lifecycle.STAGING);
        Definition next = RunDraft.version("a", "v2");
        join("n1", before, otherwise);
        assertThat(runs().resolve("a", null)).isPresent();

        join("n2", deprecated);
        join("n1", before, otherwise, yetAnother, next);

        assertThat(runs().definitions())
                .extracting(DefinitionInfo::version, DefinitionInfo::lifecycle)
                .containsExactlyInAnyOrder(
                        tuple("v1", Lifecycle.DEPRECATED),
                        tuple("v1", Lifecycle.DEPRECATED),
                        tuple("v1", Lifecycle.DEPRECATED),
                        tuple("v2", Lifecycle.ACTIVE));
        assertThat(runs().resolve("a", null).map(Definition::version)).contains("v2");
        assertThat(runs().resolve("a", "v1").map(Definition::lifecycle)).contains(Lifecycle.DEPRECATED);
    }

    /** A run that was marked only because no node was there keeps its due time: the mark is taken back, and it sleeps again. */
    @Test
    void newCodeWakesRunsThatItMayUnblockAndNoSleepers() {
        Definition version = RunDraft.version("a", "v1");
        ClaimRef sleeper = executing(RunDraft.of(version));
        write(parked(sleeper, store().port(TimeStore.class).now().plus(HOUR)));
        inTransaction(tx -> runs().markBlocked(tx, runs().stranded(List.of()), null));
        assertThat(run(sleeper).status()).isEqualTo(RunStatus.BLOCKED_MISSING_HANDLER);
        ClaimRef mismatch = executing(RunDraft.of(version));
        write(new Parked(
                mismatch,
                RunStatus.BLOCKED_SIGNATURE_MISMATCH,
                store().port(TimeStore.class).now().plus(HOUR),
                Set.of(),
                "step 0 was 'one'",
                false));

        Window woken = runs().wakeBlocked(List.of(version), null);

        assertThat(woken).isEqualTo(new Window(1, null));
        assertThat(due()).containsExactly(mismatch.id());
        assertThat(runs().wakeBlocked(List.of(version), null).changed())
                .as("once")
                .isZero();
    }

    @Test
    void whatIsMissingToResumeARunIsToldApartAndMarked() {
        Definition version = RunDraft.version("a", "v1");
        ClaimRef claim = executing(RunDraft.of(version));
        write(parked(claim, null, "go"));

        assertThat(stranded()).containsExactly(RunStatus.BLOCKED_MISSING_HANDLER);
        assertThat(runs().stranded(List.of(version.driver())))
                .as("the asking node has it")
                .isEmpty();
        join("n1", RunDraft.version("a", "v2"));
        assertThat(stranded()).containsExactly(RunStatus.BLOCKED_MISSING_VERSION);
        join("n2", RunDraft.version("a", "v1", "fedcba9876543210", Lifecycle.ACTIVE));
        assertThat(stranded()).containsExactly(RunStatus.BLOCKED_SIGNATURE_MISMATCH);
        Stranded found = runs().stranded(List.of()).get(0);
        assertThat(runs().countLive("a", "v1", found.signature())).isEqualTo(1);
        inTransaction(tx -> runs().markBlocked(tx, List.of(found), null));
        assertThat(run(claim).status()).isEqualTo(RunStatus.BLOCKED_SIGNATURE_MISMATCH);
        assertThat(run(claim).reason().orElseThrow()).contains("no live node has version v1");

        join("n3", version);
        assertThat(stranded()).isEmpty();
        inTransaction(tx -> runs().markBlocked(tx, List.of(), null));
        assertThat(run(claim).status()).isEqualTo(RunStatus.WAITING);
        assertThat(run(claim).reason()).isEmpty();
    }

    @Test
    void theReasonOfACancellationOutlivesAMarkAsBlocked() {
        Definition version = RunDraft.version("a", "v1");
        ClaimRef claim = executing(RunDraft.of(version));
        write(parked(claim, null, "go"));
        runs().cancel(claim.id(), "no longer wanted");
        assertThat(run(claim).reason()).contains("no longer wanted");

        inTransaction(tx -> runs().markBlocked(tx, runs().stranded(List.of()), null));
        assertThat(run(claim).status()).isEqualTo(RunStatus.BLOCKED_MISSING_HANDLER);
        assertThat(run(claim).reason()).contains("no longer wanted");

        join("n1", version);
        inTransaction(tx -> runs().markBlocked(tx, List.of(), null));
        assertThat(run(claim).status()).isNotEqualTo(RunStatus.BLOCKED_MISSING_HANDLER);
        assertThat(run(claim).reason()).contains("no longer wanted");
    }

    private List<RunStatus> stranded() {
        return runs().stranded(List.of()).stream().map(Stranded::blocked).toList();
    }

    @Test
    void theListHasTheNewestRunsByStatusAndPage() {
        JobId first = start(RunDraft.of("a"));
        ClaimRef claim = claimDriver(LEASE);
        JobId second = start(RunDraft.of("a"));
        start(RunDraft.of("b"));

        assertThat(list(Set.of(), Optional.empty())).containsExactly(second, first);
        assertThat(list(Set.of(RunStatus.RUNNING), Optional.empty())).containsExactly(claim.id());
        assertThat(list(Set.of(), Optional.of(second))).containsExactly(first);
    }

    private List<JobId> list(Set<RunStatus> statuses, Optional<JobId> before) {
        RunQuery query = RunQuery.all().workflow("a").statuses(statuses).limit(10);
        return runs().list(before.map(query::before).orElse(query)).stream()
                .map(RunInfo::id)
                .toList();
    }

    @Test
    void endedRunsAreForgottenAfterTheRetentionAndLiveOnesAreNot() {
        ClaimRef done = executing();
        write(ended(done, RunStatus.COMPLETED, null));
        JobId live = start(RunDraft.of("b"));
        inTransaction(tx -> runs().forgetRuns(tx, HOUR));
        assertThat(runs().find(done.id())).isPresent();
        advance(HOUR.plusSeconds(1));

        boolean more = inTransaction(tx -> runs().forgetRuns(tx, HOUR));

        assertThat(more).isFalse();
        assertThat(runs().find(done.id())).isEmpty();
        assertThat(runs().find(live)).isPresent();
    }
}
