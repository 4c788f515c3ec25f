package dev.muster.postgres.internal.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.contracts.internal.RunDraft;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.workflow.WorkflowStore.RunClaim;
import dev.muster.internal.workflow.WorkflowStore.StepKind;
import dev.muster.internal.workflow.WorkflowStore.StepState;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.StepInfo;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * A run parks while an operator gives it up, or ends the pause for which it parks: no driver stays parked forever. A run stores a step
 * while somebody looks at its driver: the step is stored.
 */
class ParkAndOperatorIT extends RunRaces {
    private static final String GIVE_UP = "UPDATE muster_workflow_runs SET status = 'retired_unresumable',"
            + " resolution_reason = 'v1 is gone' WHERE finished_at IS NULL";

    private void inOther(String sql) throws SQLException {
        try (Statement statement = other.createStatement()) {
            statement.execute(sql);
        }
    }

    private RunStatus status(ClaimRef claim) {
        return runs.find(claim.id()).orElseThrow().status();
    }

    @Test
    void aRunThatIsGivenUpBeforeItsParkIsWrittenIsDueAtOnceAndEnds() throws Exception {
        ClaimRef claim = executing(1).get(0);
        inOther(GIVE_UP);
        lockToPark(claim);
        assertThat(writePark(claim)).as("while the operator has locked the run").isFalse();
        parking.commit();
        other.commit();
        lockToPark(claim);
        assertThat(writePark(claim)).isTrue();
        parking.commit();

        assertThat(due(claim.id())).as("its driver, which a node then ends").isTrue();
        assertThat(status(claim)).isEqualTo(RunStatus.RETIRED_UNRESUMABLE);
    }

    @Test
    void aRunThatIsGivenUpWhileItsParkIsWrittenLosesItsDriver() throws Exception {
        ClaimRef claim = executing(1).get(0);
        lockToPark(claim);
        Future<?> givenUp = begin(() -> {
            inOther(GIVE_UP);
            return "done";
        });
        awaitBlocked(otherPid);
        assertThat(writePark(claim)).isTrue();
        parking.commit();
        end(givenUp);
        other.commit();

        assertThat(database.number("SELECT count(*) FROM muster_jobs")).isZero();
        assertThat(status(claim)).isEqualTo(RunStatus.RETIRED_UNRESUMABLE);
    }

    @Test
    void aParkForAPauseThatEndsBeforeItIsWrittenIsDueAtOnce() throws Exception {
        ClaimRef claim = executing(1).get(0);
        runs.pause("wait", true);
        assertThat(runs.load(claim).orElseThrow().paused()).isTrue();
        runs.pause("wait", false);

        lockToPark(claim);
        assertThat(writePause(claim)).isTrue();
        parking.commit();

        assertThat(due(claim.id())).isTrue();
    }

    @Test
    void aParkForAPauseThatEndsWhileItIsWrittenIsDueAtOnce() throws Exception {
        ClaimRef claim = executing(1).get(0);
        runs.pause("wait", true);
        lockToPark(claim);
        assertThat(writePause(claim)).isTrue();
        Future<?> resumed = begin(() -> runs.pause("wait", false));
        awaitBlockedBy(parkingPid);
        parking.commit();
        end(resumed);

        assertThat(due(claim.id())).isTrue();
        assertThat(status(claim)).isEqualTo(RunStatus.PENDING);
    }

    /** The first try finds the driver locked, the second one does not: otherwise the effect would be rolled back and repeated. */
    @Test
    void aStepInATransactionIsStoredThoughItsDriverIsLockedForAMoment() throws Exception {
        RunClaim held = held(executing(1).get(0));
        inOther("SELECT FROM muster_jobs FOR UPDATE");
        AtomicInteger tries = new AtomicInteger();
        Connection unlocking = (Connection) Proxy.newProxyInstance(
                RunRaces.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    if (method.getName().equals("prepareStatement") && tries.incrementAndGet() == 2) {
                        other.rollback();
                    }
                    return method.invoke(parking, args);
                });

        runs.saveIn(unlocking, held, RunDraft.step("0", "step", StepKind.STEP, StepState.COMPLETED, "1"), "n1");
        parking.commit();

        assertThat(tries).hasValue(2);
        assertThat(runs.steps(held.ref().id())).extracting(StepInfo::path).containsExactly("0");
    }
}
