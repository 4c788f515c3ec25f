package dev.muster.postgres.internal.workflows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.contracts.internal.RunDraft;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.workflow.WorkflowStore.RunClaim;
import dev.muster.internal.workflow.WorkflowStore.ServerReplaced;
import dev.muster.job.JobId;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.StepInfo;
import java.sql.Connection;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * A standby takes over that has the claim, but not the last step. That the tables are on another server is played by what they say of the
 * last one.
 */
class ReplacedServerIT extends RunRaces {

    private void failOverWithout(JobId run, String path) {
        database.execute("DELETE FROM muster_workflow_steps WHERE run_id = '" + run + "' AND path = '" + path + "';"
                + " UPDATE muster_server SET wal_timeline = 5");
    }

    private static void refused(ThrowingCallable write) {
        assertThatThrownBy(write).isInstanceOf(ServerReplaced.class);
    }

    @Test
    void nothingIsStoredBehindAStepThatIsLost() throws Exception {
        ClaimRef claim = executing(1).get(0);
        RunClaim before = held(claim);
        runs.save(before, RunDraft.completed("0", "a", "1"), "n1");
        runs.save(before, RunDraft.completed("1", "b", "2"), "n1");
        assertThat(runs.serverReplaced(before)).isFalse();
        failOverWithout(claim.id(), "1");

        // The first one finds out.
        refused(() -> runs.save(before, RunDraft.completed("2", "c", "3"), "n1"));
        refused(() -> runs.save(before, RunDraft.completed("2", "c", "3"), "n1"));
        refused(() -> await(before, "2"));
        refused(() -> runs.startChild(
                before, RunDraft.of("child").childOf(claim.id(), "2").run()));
        refused(() -> runs.beginCompensating(before, RunStatus.COMPENSATED, "no"));
        try (Connection tx = database.transaction()) {
            refused(() -> runs.saveIn(tx, before, RunDraft.completed("2", "c", "3"), "n1"));
            tx.rollback();
        }

        assertThat(runs.serverReplaced(before)).isTrue();
        assertThat(runs.steps(claim.id())).extracting(StepInfo::path).containsExactly("0");
        assertThat(database.number("SELECT count(*) FROM muster_workflow_runs")).isEqualTo(1);
        RunClaim after = held(claim);
        assertThat(after.timeline()).isGreaterThan(before.timeline());
        runs.save(after, RunDraft.completed("1", "b", "2"), "n1");
        assertThat(runs.steps(claim.id())).extracting(StepInfo::path).containsExactly("0", "1");
    }

    @Test
    void aWaitThatIsTheFirstToComeIsNotStoredEither() {
        ClaimRef claim = executing(1).get(0);
        RunClaim before = held(claim);
        failOverWithout(claim.id(), "0");

        refused(() -> await(before, "1"));

        assertThat(runs.steps(claim.id())).isEmpty();
    }

    private void await(RunClaim claim, String path) {
        runs.awaitEvent(claim, RunDraft.waiting(path, "go"), "go", null, "n1");
    }
}
