package dev.muster;

import dev.muster.leader.LeaderRole;
import dev.muster.leader.LeaderTerm;
import dev.muster.leader.Leadership;
import dev.muster.runtime.DatabaseUnavailable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/** Until there are elections: each node takes itself for the leader, and the unique row of each tick decides. */
final class EveryoneLeads implements Leadership {
    private static final LeaderTerm TERM = new LeaderTerm(LeaderRole.SCHEDULER, "", new UUID(0, 0), 0, 0);

    private final Store store;

    EveryoneLeads(Store store) {
        this.store = store;
    }

    @Override
    public LeaderRole role() {
        return LeaderRole.SCHEDULER;
    }

    @Override
    public Optional<LeaderTerm> current() {
        return Optional.of(TERM);
    }

    @Override
    public <T> T fenced(FencedWork<T> work) {
        try (Connection tx = store.connection()) {
            tx.setAutoCommit(false);
            try {
                T value = work.run(tx);
                tx.commit();
                return value;
            } catch (SQLException | RuntimeException e) {
                tx.rollback();
                throw e;
            } finally {
                tx.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw new DatabaseUnavailable("the transaction failed: " + e.getMessage(), e);
        }
    }

    @Override
    public Duration vacantFor() {
        return Duration.ZERO;
    }
}
