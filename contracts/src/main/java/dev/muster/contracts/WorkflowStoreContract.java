package dev.muster.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.cluster.NodeStatus;
import dev.muster.job.ClaimLost;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import dev.muster.job.store.ClaimRef;
import dev.muster.job.store.ClaimedJob;
import dev.muster.job.store.Outcome;
import dev.muster.runtime.MusterException;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.StepInfo;
import dev.muster.workflow.Workflow.Lifecycle;
import dev.muster.workflow.WorkflowStore;
import dev.muster.workflow.WorkflowStore.Definition;
import dev.muster.workflow.WorkflowStore.Ended;
import dev.muster.workflow.WorkflowStore.FailedRun;
import dev.muster.workflow.WorkflowStore.NewRun;
import dev.muster.workflow.WorkflowStore.Parked;
import dev.muster.workflow.WorkflowStore.Revived;
import dev.muster.workflow.WorkflowStore.SavedStep;
import dev.muster.workflow.WorkflowStore.StepKind;
import dev.muster.workflow.WorkflowStore.StepRow;
import dev.muster.workflow.WorkflowStore.StepState;
import dev.muster.workflow.WorkflowStore.Stranded;
import dev.muster.workflow.Workflows.RunQuery;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Runs, their steps and their events: only the holder of the driver's claim writes about a run, and nothing that was stored is lost. */
abstract class WorkflowStoreContract extends JobStoreContract {
    private static final Duration HOUR = Duration.ofHours(1);

    private WorkflowStore runs() {
        return store().port(WorkflowStore.class);
    }

    private JobId start(RunDraft draft) {
        return runs().start(List.of(draft.run())).ids().get(0);
    }

    /** A run of workflow "a" that a node executes. */
    private ClaimRef executing() {
        return executing(RunDraft.of("a"));
    }

    private ClaimRef executing(RunDraft draft) {
        JobId id = start(draft);
        ClaimRef claim = claimDriver(LEASE);
        assertThat(claim.id()).isEqualTo(id);
        return claim;
    }

    private ClaimRef claimDriver(Duration lease) {
        return claimOne("n1", lease).claim();
    }

    /** The claim that a node held before another one took its run over. */
    private ClaimRef takenOver() {
        start(RunDraft.of("a"));
        ClaimRef stale = claimDriver(EXPIRED);
        assertThat(recoverExpired()).hasSize(1);
        assertThat(claimDriver(LEASE).token()).isNotEqualTo(stale.token());
        return stale;
    }

    private List<JobId> due() {
        return claims("n2").exchange(List.of(), 10).claimed().stream()
                .map(ClaimedJob::id)
                .toList();
    }

    private RunInfo run(JobId id) {
        return runs().find(id).orElseThrow();
    }

    private RunInfo run(ClaimRef claim) {
        return run(claim.id());
    }

    private static Parked parked(ClaimRef claim, @Nullable Instant due, String... events) {
        return new Parked(claim, RunStatus.WAITING, due, Set.of(events), null, false);
    }

    private static Ended ended(ClaimRef claim, RunStatus status, @Nullable NewRun successor) {
        return new Ended(claim, status, null, null, List.of(), null, false, successor);
    }

    private SavedStep save(ClaimRef claim, String path, String result) {
        return runs().save(claim, RunDraft.completed(path, "step", result), "n1");
    }

    private SavedStep await(ClaimRef claim, String path, @Nullable Duration timeout) {
        return runs().awaitEvent(claim, RunDraft.waiting(path, "go"), "go", timeout, "n1");
    }

    /** The database's clock. */
    private Instant now(ClaimRef claim) {
        return runs().load(claim).orElseThrow().now();
    }

    @Test
    void aRunAndItsDriverAreStartedTogetherAndAKeyStartsOne() {
        JobId first = start(RunDraft.of("a").key("k"));

        assertThat(start(RunDraft.of("a").key("k"))).isEqualTo(first);
        assertThat(start(RunDraft.of("b").key("k"))).as("of another workflow").isNotEqualTo(first);
        assertThat(start(RunDraft.of("a").id(first))).isEqualTo(first);

        assertThat(run(first).status()).isEqualTo(RunStatus.PENDING);
        assertThat(due()).hasSize(2).contains(first);
        assertThat(run(first).status()).isEqualTo(RunStatus.RUNNING);
    }

    @Test
    void aDelayedRunIsDueLater() {
        JobId id = start(RunDraft.of("a").delay(HOUR));
        assertThat(due()).isEmpty();
        advance(HOUR);
        assertThat(due()).containsExactly(id);
    }

    @Test
    void aStartThatIsRolledBackLeavesNoRunNoDriverAndNoKey() throws Exception {
        JobId id;
        try (Connection tx = transaction()) {
            id = runs().start(tx, List.of(RunDraft.of("a").key("k").run()))
                    .ids()
                    .get(0);
            tx.rollback();
        }
        assertThat(runs().find(id)).isEmpty();
        assertThat(runs().load(new ClaimRef(id, 1))).isEmpty();
        assertThat(runs().list(RunQuery.all())).isEmpty();
        assertThat(store().jobReader().find(id)).isEmpty();
        assertThat(due()).isEmpty();
        assertThat(start(RunDraft.of("a").key("k"))).isNotEqualTo(id);
    }

    @Test
    void aStoredResultIsNeverReplaced() {
        ClaimRef claim = executing();
        save(claim, "0", "1");

        assertThat(save(claim, "0", "2").row().result()).isEqualTo("1");
        assertThat(runs().load(claim).orElseThrow().steps())
                .extracting(StepRow::result)
                .containsExactly("1");
    }

    @Test
    void aStepThatIsToBeRetriedIsReplacedByItsEnd() {
        ClaimRef claim = executing();
        StepRow retrying = new StepRow(
                "0", "step", StepKind.STEP, StepState.RETRYING, 1, null, "no", null, Duration.ofSeconds(5), null, null);
        assertThat(runs().save(claim, retrying, "n1").row().due()).isAfter(now(claim));

        assertThat(save(claim, "0", "1").row().state()).isEqualTo(StepState.COMPLETED);
        assertThat(runs().steps(claim.id())).extracting(StepInfo::status).containsExactly("completed");
    }

    @Test
    void stepsAreLoadedInTheOrderInWhichTheyWereStored() {
        ClaimRef claim = executing();
        List.of("1.0.0", "1.1.0", "0").forEach(path -> save(claim, path, "1"));

        assertThat(runs().load(claim).orElseThrow().steps())
                .extracting(StepRow::path)
                .containsExactly("1.0.0", "1.1.0", "0");
    }

    @Test
    void newRunsThatAreExpectedAreReadAlong() {
        ClaimRef first = executing();
        ClaimRef second = executing();
        ClaimRef third = executing();
        save(third, "0", "1");
        // Makes sure that there is a place for today's steps.
        assertThat(runs().load(first)).isPresent();
        List.of(second, third).forEach(runs()::expect);

        assertThat(runs().load(first).orElseThrow().id()).isEqualTo(first.id());
        runs().cancel(second.id(), "no longer wanted");

        // What was read along is a moment old; the next step says that the run was asked to end.
        assertThat(runs().load(second).orElseThrow().cancelRequested()).isFalse();
        assertThat(save(second, "0", "1").cancelRequested()).isTrue();
        assertThat(runs().load(second).orElseThrow().cancelRequested()).isTrue();
        assertThat(runs().load(third).orElseThrow().steps()).hasSize(1);
    }

    @Test
    void whatWasReadForAnEarlierClaimIsNotUsedForALaterOne() {
        ClaimRef other = executing();
        start(RunDraft.of("a"));
        ClaimRef early = claimDriver(EXPIRED);
        runs().load(other);
        runs().expect(early);
        runs().load(other);
        assertThat(recoverExpired()).hasSize(1);
        ClaimRef late = claimDriver(LEASE);
        save(late, "0", "1");

        assertThat(runs().load(late).orElseThrow().steps()).hasSize(1);
    }

    @Test
    void aStepAfterACrashIsStoredAndCountsCrashesFromZero() {
        start(RunDraft.of("a"));
        claimDriver(EXPIRED);
        assertThat(recoverExpired()).hasSize(1);
        ClaimRef claim = claimDriver(LEASE);

        save(claim, "0", "1");
        save(claim, "1", "2");

        assertThat(runs().steps(claim.id())).extracting(StepInfo::status).containsExactly("completed", "completed");
        assertThat(find(claim.id()).crashes()).isZero();
    }

    @Test
    void aStaleClaimStoresNothing() throws Exception {
        ClaimRef stale = takenOver();

        assertThatThrownBy(() -> save(stale, "0", "1")).isInstanceOf(ClaimLost.class);
        assertThatThrownBy(() -> await(stale, "0", null)).isInstanceOf(ClaimLost.class);
        assertThatThrownBy(() -> runs().beginCompensating(stale, RunStatus.COMPENSATED, "no"))
                .isInstanceOf(ClaimLost.class);
        try (Connection tx = transaction()) {
            assertThatThrownBy(() -> runs().saveIn(tx, stale, RunDraft.completed("0", "step", "1"), "n1"))
                    .isInstanceOf(ClaimLost.class);
            tx.rollback();
        }
        assertThatThrownBy(() -> runs().startChild(stale, RunDraft.of("child").run()))
                .isInstanceOf(ClaimLost.class);
        assertThat(write(parked(stale, null)).rejected()).containsExactly(stale);
        assertThat(write(ended(stale, RunStatus.COMPLETED, null)).rejected()).containsExactly(stale);

        assertThat(runs().steps(stale.id())).isEmpty();
        assertThat(run(stale).status()).isEqualTo(RunStatus.RUNNING);
    }

    @Test
    void aStepInATransactionIsStoredWithIt() throws Exception {
        ClaimRef claim = executing();
        try (Connection tx = transaction()) {
            runs().saveIn(tx, claim, RunDraft.completed("0", "step", "1"), "n1");
            tx.rollback();
            assertThat(runs().steps(claim.id())).isEmpty();
            runs().saveIn(tx, claim, RunDraft.completed("0", "step", "1"), "n1");
            tx.commit();
        }
        assertThat(runs().steps(claim.id())).hasSize(1);
    }

    @Test
    void aParkedRunIsDueAtItsTimeAndNotBefore() {
        ClaimRef claim = executing();
        assertThat(write(parked(claim, now(claim).plus(HOUR))).rejected()).isEmpty();

        assertThat(due()).isEmpty();
        assertThat(run(claim).status()).isEqualTo(RunStatus.WAITING);
        advance(HOUR);
        assertThat(due()).containsExactly(claim.id());
    }

    @Test
    void anEventMakesTheRunDueThatWaitsForItAndIsTakenByOneWait() {
        ClaimRef claim = executing();
        assertThat(await(claim, "0", null).row().state()).isEqualTo(StepState.WAITING);
        write(parked(claim, null, "go"));
        assertThat(runs().signal(claim.id(), "other", "stop", null).lane()).isEmpty();
        assertThat(due()).isEmpty();

        assertThat(runs().signal(claim.id(), "e1", "go", "1").lane()).contains(DEFAULT);
        assertThat(runs().signal(claim.id(), "e1", "go", "2").known()).isTrue();
        runs().signal(claim.id(), "e2", "go", "3");

        ClaimRef next = claimDriver(LEASE);
        assertThat(await(next, "0", null).row().result()).isEqualTo("1");
        assertThat(await(next, "0", null).row().result()).as("again").isEqualTo("1");
        assertThat(await(next, "1", null).row().result()).isEqualTo("3");
        assertThat(await(next, "2", null).row().state()).isEqualTo(StepState.WAITING);
    }

    @Test
    void anEventThatCameBeforeTheParkMakesTheRunDueAtOnce() {
        ClaimRef claim = executing();
        await(claim, "0", null);
        runs().signal(claim.id(), "e1", "go", "1");
        write(parked(claim, null, "go"));

        assertThat(due()).containsExactly(claim.id());
    }

    @Test
    void aWaitThatTimedOutTakesNoEvent() {
        ClaimRef claim = executing();
        assertThat(await(claim, "0", Duration.ofSeconds(5)).row().state()).isEqualTo(StepState.WAITING);
        advance(Duration.ofSeconds(6));
        assertThat(await(claim, "0", Duration.ofSeconds(5)).row().state()).isEqualTo(StepState.TIMED_OUT);
        runs().signal(claim.id(), "e1", "go", "1");

        assertThat(await(claim, "0", Duration.ofSeconds(5)).row().state()).isEqualTo(StepState.TIMED_OUT);
        assertThat(await(claim, "1", null).row().result()).isEqualTo("1");
    }

    @Test
    void runsThatDoNotExistOrHaveEndedTakeNoEvents() {
        assertThatThrownBy(() -> runs().signal(JobId.next(), "e", "go", null))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("there is no run");
        ClaimRef claim = executing();
        write(ended(claim, RunStatus.COMPLETED, null));
        assertThatThrownBy(() -> runs().signal(claim.id(), "e", "go", null))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("has ended");
    }

    @Test
    void aRunAndItsDriverEndTogetherAndARepeatedEndIsRecognised() {
        ClaimRef claim = executing();
        Ended end = new Ended(claim, RunStatus.COMPLETED, "{\"x\": 1}", null, List.of(), null, false, null);

        assertThat(write(end).rejected()).isEmpty();
        assertThat(write(end).rejected()).isEmpty();

        assertThat(run(claim).status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(run(claim).result()).contains("{\"x\": 1}");
        assertThat(find(claim.id()).status()).isEqualTo(JobStatus.COMPLETED);
        assertThatThrownBy(() -> save(claim, "0", "1")).isInstanceOf(ClaimLost.class);
    }

    @Test
    void aRunThatCompensatesNeverGoesBackToItsSteps() {
        ClaimRef claim = executing();
        runs().beginCompensating(claim, RunStatus.COMPENSATED, "no truck");
        write(new Parked(claim, RunStatus.COMPENSATING, null, Set.of(), null, false));

        assertThat(runs().load(claim).orElseThrow()).satisfies(run -> {
            assertThat(run.endsAs()).isEqualTo(RunStatus.COMPENSATED);
            assertThat(run.error()).isEqualTo("no truck");
        });
        assertThat(run(claim).status()).isEqualTo(RunStatus.COMPENSATING);
    }

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
    void aFailedRunGoesOnWithWhatFailed() {
        ClaimRef claim = executing();
        save(claim, "0", "1");
        runs().save(claim, RunDraft.step("1", "step", StepKind.STEP, StepState.FAILED, null), "n1");
        assertThat(runs().failedRun(claim.id())).as("it has not failed yet").isEmpty();
        assertThat(retry(claim, "1")).isEmpty();
        write(new Ended(claim, RunStatus.FAILED, null, "no", List.of("1"), null, false, null));
        assertThat(runs().failedRun(claim.id()).orElseThrow().failedSteps()).containsExactly("1");

        assertThat(retry(claim, "1")).contains(DEFAULT);
        assertThat(retry(claim, "1")).isEmpty();

        assertThat(due()).containsExactly(claim.id());
        assertThat(runs().steps(claim.id())).extracting(StepInfo::path).containsExactly("0");
    }

    private Optional<Lane> retry(ClaimRef claim, String forget) {
        return runs().failedRun(claim.id()).flatMap(seen -> runs().retry(seen, List.of(forget), List.of()));
    }

    @Test
    void aRetryThatHasLookedAtAnEarlierFailureForgetsNothing() {
        ClaimRef claim = executing();
        save(claim, "0", "1");
        write(new Ended(claim, RunStatus.FAILED, null, "no", List.of("0"), null, false, null));
        FailedRun seen = runs().failedRun(claim.id()).orElseThrow();
        assertThat(runs().retry(seen, List.of(), List.of())).isPresent();
        write(new Ended(claimDriver(LEASE), RunStatus.FAILED, null, "no", List.of("1"), null, false, null));

        assertThat(runs().retry(seen, List.of("0"), List.of())).isEmpty();

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
        write(new Parked(claim, RunStatus.WAITING, null, Set.of(), "the workflow is paused", true));
        assertThat(due()).isEmpty();

        assertThat(runs().pause("a", false)).containsExactly(DEFAULT);

        assertThat(runs().load(claim).orElseThrow().paused()).isFalse();
        assertThat(due()).containsExactly(claim.id());
        assertThat(runs().pause("a", false)).isEmpty();
    }

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
                        claim,
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

    @Test
    void aRunWhoseDriverDiedCompensatesOrHasFailed() {
        ClaimRef plain = executing();
        ClaimRef compensating = executing(RunDraft.of("b"));
        runs().save(
                        compensating,
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
        inTransaction(tx -> runs().markBlocked(tx, List.of(found)));
        assertThat(run(claim).status()).isEqualTo(RunStatus.BLOCKED_SIGNATURE_MISMATCH);
        assertThat(run(claim).reason().orElseThrow()).contains("no live node has version v1");

        join("n3", version);
        assertThat(stranded()).isEmpty();
        inTransaction(tx -> runs().markBlocked(tx, List.of()));
        assertThat(run(claim).status()).isEqualTo(RunStatus.WAITING);
        assertThat(run(claim).reason()).isEmpty();
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
        return runs().list(new RunQuery(Optional.of("a"), Optional.empty(), statuses, before, 10)).stream()
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
