package dev.muster.leader;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** This node's part in one {@link LeaderRole}. */
public interface Leadership {

    LeaderRole role();

    /** Whether this node may still take itself for the leader. Only {@link #fenced} makes sure. */
    default boolean isLeader() {
        return current().isPresent();
    }

    /** The reign of this node, if it has one it may still trust. */
    Optional<LeaderTerm> current();

    /**
     * The term of this node's reign.
     *
     * @throws StaleLeader if it has none
     */
    default long term() {
        return current()
                .orElseThrow(() -> new StaleLeader("this node does not lead " + role().text()))
                .term();
    }

    /**
     * Runs work in a transaction that commits only if this node's term is still the current one. The connection is in
     * that transaction; work neither commits nor closes it. A deadlock or serialization failure is tried again.
     *
     * @throws StaleLeader if this node does not lead; nothing was written
     */
    <T> T fenced(FencedWork<T> work);

    /**
     * For how long nobody has led: the row says so, or has run out since this node last looked. Zero while someone leads, and
     * while this node cannot look.
     */
    Duration vacantFor();

    /**
     * For how long the node that leads has sent no heartbeat, by what this node saw when it last looked. Zero while nobody or
     * this node leads.
     */
    default Duration leaderSilentFor() {
        return Duration.ZERO;
    }

    /** Work inside a fenced transaction. */
    @FunctionalInterface
    interface FencedWork<T> {
        T run(Connection tx) throws SQLException;
    }
}
