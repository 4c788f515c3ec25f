package dev.muster.leader;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** This node's view of one {@link LeaderRole}: whether it leads, and how it writes as the leader. */
public interface Leadership {

    LeaderRole role();

    /** Whether this node leads as far as it knows. Only {@link #fenced} makes sure. */
    default boolean isLeader() {
        return current().isPresent();
    }

    /** The term of this node, if it leads as far as it knows. */
    Optional<LeaderTerm> current();

    /**
     * The number of this node's term.
     *
     * @throws StaleLeader if this node does not lead
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
     * For how long nobody has led: the row says so, or its lease has run out since this node's last check. Zero while a node
     * leads, and while this node cannot check.
     */
    Duration vacantFor();

    /**
     * For how long the leader's node has sent no heartbeat, counted from this node's last check. Zero while nobody or this node
     * leads.
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
