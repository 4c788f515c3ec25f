package dev.muster.internal.assembly;

import dev.muster.cluster.ClusterCoordinator;
import dev.muster.internal.job.store.WorkSignal;
import dev.muster.job.Lane;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The {@link WorkSignal} of a node: sends wake-ups through its {@link ClusterCoordinator}. If sending fails after the commit, the work stays: nodes find it when they poll. */
record CoordinatorWorkSignal(ClusterCoordinator coordinator) implements WorkSignal {
    private static final Logger log = LoggerFactory.getLogger(CoordinatorWorkSignal.class);

    @Override
    public void newWork(Set<Lane> lanes) {
        try {
            coordinator.notifyNewWork(lanes);
        } catch (MusterException e) {
            // The jobs are committed; nodes find them when they poll.
            log.warn("wake-up not sent: {}", e.getMessage());
        }
    }

    @Override
    public void newWork(Connection connection, Set<Lane> lanes) throws SQLException {
        coordinator.notifyNewWork(connection, lanes);
    }
}
