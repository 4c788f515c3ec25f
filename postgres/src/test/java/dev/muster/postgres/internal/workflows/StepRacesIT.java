package dev.muster.postgres.internal.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.contracts.internal.RunDraft;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.workflow.WorkflowStore.RunClaim;
import dev.muster.internal.workflow.WorkflowStore.SavedStep;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A step is being stored while somebody takes runs over, held in the moment that decides. */
class StepRacesIT extends RunRaces {
    private static final String GATE = "4711";

    /** The statement that stores the step has found the claim to be current, and has not stored the step yet. */
    @Test
    void whoeverTakesRunsOverLeavesOneOutWhileAStepOfItIsBeingStored() throws Exception {
        ClaimRef claim = executing(1).get(0);
        RunClaim held = held(claim);
        closeGate();
        Future<SavedStep> saved = begin(() -> runs.save(held, RunDraft.completed("0", "charge", "1"), "n1"));
        Awaitility.await().until(() -> saved.isDone() || waits());

        assertThat(database.column("SELECT id FROM muster_jobs FOR UPDATE SKIP LOCKED"))
                .isEmpty();

        executeOnOther("SELECT pg_advisory_unlock(" + GATE + ")");
        end(saved);
        assertThat(runs.steps(claim.id())).hasSize(1);
    }

    /** From now on whoever stores a step waits, after its statement has found the driver; for longer than a node waits for a lock. */
    private void closeGate() throws SQLException {
        executeOnOther("SELECT pg_advisory_lock(" + GATE + ")");
        database.execute(
                "CREATE FUNCTION await_gate() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0 AS $$ BEGIN"
                        + " PERFORM pg_advisory_xact_lock_shared(" + GATE + "); RETURN new; END $$");
        database.execute(
                "CREATE TRIGGER gate BEFORE INSERT ON muster_workflow_steps FOR EACH ROW EXECUTE FUNCTION await_gate()");
    }

    private boolean waits() {
        return database.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                        + " AND datname = current_database() AND query LIKE '%muster_workflow_steps%'")
                == 1;
    }

    private void executeOnOther(String sql) throws SQLException {
        try (Statement statement = other.createStatement()) {
            statement.execute(sql);
        }
    }
}
