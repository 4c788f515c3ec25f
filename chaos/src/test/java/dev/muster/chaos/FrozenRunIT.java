package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;

/** Nodes that stand still at each point of a run and continue later, when others have the runs, or with new connections. */
class FrozenRunIT extends OrdealRuns {

    @Test
    void aNodeThatContinuesAfterAnotherHasEndedItsRunsChangesNothing() {
        NodeProcess frozen = node("a", ROOM);
        startAll();
        awaitAllAtTheirPoints(frozen);
        frozen.stop();
        startHere("b", ROOM);
        losesToOthers("a");
        assertAllEndedRight();

        StopPoints.release(database);
        frozen.cont();
        awaitAllHaveGoneOn(frozen);
        frozen.terminate();
        frozen.exitCode(SOON);

        assertAllEndedRight();
    }

    /** The connection on which a step runs in a transaction is Muster's. One that an effect has opened itself is its own affair. */
    @Test
    void aNodeThatLosesItsConnectionsContinuesAndChargesNoAttemptToStepsInTransactions() {
        NodeProcess node = node("a", ROOM);
        startAll();
        awaitAllAtTheirPoints(node);
        database.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                        + " AND application_name LIKE 'muster%' AND query NOT LIKE '%stop_points%' AND pid <> pg_backend_pid()");
        StopPoints.release(database);

        awaitAllHaveGoneOn(node);
        assertAllEndedRight();
        assertThat(database.column("SELECT name FROM muster_workflow_steps WHERE attempt > 1"
                        + " AND name IN ('reserve', 'label', 'invoice', 'release')"))
                .as("steps that were charged an attempt")
                .isEmpty();
    }

    private void awaitAllHaveGoneOn(NodeProcess node) {
        await("all runs have passed their points")
                .atMost(SOON)
                .failFast(() -> assertThat(node.isAlive()).as(node.text()).isTrue())
                .until(() -> StopPoints.standing(database) == 0);
    }
}
