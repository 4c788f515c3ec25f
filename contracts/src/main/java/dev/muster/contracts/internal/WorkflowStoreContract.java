package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.workflow.WorkflowStore;
import dev.muster.internal.workflow.WorkflowStore.Ended;
import dev.muster.internal.workflow.WorkflowStore.NewRun;
import dev.muster.internal.workflow.WorkflowStore.Parked;
import dev.muster.internal.workflow.WorkflowStore.RunClaim;
import dev.muster.internal.workflow.WorkflowStore.SavedStep;
import dev.muster.job.JobId;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.RunStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs that a node executes, and what the contracts of workflows do with them. */
abstract class WorkflowStoreContract extends JobStoreContract {
    static final Duration HOUR = Duration.ofHours(1);

    WorkflowStore runs() {
        return store().port(WorkflowStore.class);
    }

    JobId start(RunDraft draft) {
        return runs().start(List.of(draft.run())).ids().get(0);
    }

    /** A run of workflow "a" that a node executes. */
    ClaimRef executing() {
        return executing(RunDraft.of("a"));
    }

    ClaimRef executing(RunDraft draft) {
        JobId id = start(draft);
        ClaimRef claim = claimDriver(LEASE);
        assertThat(claim.id()).isEqualTo(id);
        return claim;
    }

    ClaimRef claimDriver(Duration lease) {
        return claimOne("n1", lease).claim();
    }

    List<JobId> due() {
        return claims("n2").exchange(List.of(), 10).claimed().stream()
                .map(ClaimedJob::id)
                .toList();
    }

    RunInfo run(JobId id) {
        return runs().find(id).orElseThrow();
    }

    RunInfo run(ClaimRef claim) {
        return run(claim.id());
    }

    static Parked parked(ClaimRef claim, @Nullable Instant due, String... events) {
        return new Parked(claim, RunStatus.WAITING, due, Set.of(events), null, false);
    }

    static Ended ended(ClaimRef claim, RunStatus status, @Nullable NewRun successor) {
        return new Ended(claim, status, null, null, List.of(), null, false, successor);
    }

    /** A claim of a run that was loaded just now. */
    RunClaim held(ClaimRef claim) {
        return new RunClaim(claim, runs().load(claim).orElseThrow().timeline());
    }

    SavedStep save(ClaimRef claim, String path, String result) {
        return runs().save(held(claim), RunDraft.completed(path, "step", result), "n1");
    }

    SavedStep await(ClaimRef claim, String path, @Nullable Duration timeout) {
        return runs().awaitEvent(held(claim), RunDraft.waiting(path, "go"), "go", timeout, "n1");
    }

    /** The database's clock. */
    Instant now(ClaimRef claim) {
        return runs().load(claim).orElseThrow().now();
    }
}
