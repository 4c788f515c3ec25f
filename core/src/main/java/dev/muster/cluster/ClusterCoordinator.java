package dev.muster.cluster;

import dev.muster.job.Lane;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Sends wake-ups between nodes: notifications that a lane has new work, so that an idle node claims it within milliseconds instead of at its
 * next poll. A lost wake-up costs time, never a job.
 *
 * <p>The default uses PostgreSQL's LISTEN/NOTIFY; with {@link #none()} nodes only poll. What a coordinator of an application throws is
 * logged, once a minute, and goes no further: the work is stored, and nodes find it when they poll.
 */
public interface ClusterCoordinator {

    /** Tells all nodes that these lanes have new work, which is committed already. Must not block on the network. */
    void notifyNewWork(Set<Lane> lanes);

    /** Tells all nodes about new work when this connection's transaction commits. By default polling finds the work. */
    default void notifyNewWork(Connection connection, Set<Lane> lanes) throws SQLException {}

    /** Tells all nodes after this delay that the lane has new work. By default polling finds the work. */
    default void notifyNewWorkLater(Lane lane, Duration delay) {}

    /** Calls the listener whenever there may be new work. Listeners must be quick. */
    void registerWakeupListener(Runnable listener);

    /** Calls the listener with the lanes that may have new work; with an empty set if it is not known which. */
    default void registerWakeupListener(Consumer<Set<Lane>> listener) {
        registerWakeupListener(() -> listener.accept(Set.of()));
    }

    /** Tells all nodes that something other than work has changed, such as a cron. By default polling finds the change. */
    default void notifyChange(Topic topic) {}

    /** Calls the listener whenever this topic has changed, or may have. Listeners must be quick. */
    default void registerChangeListener(Topic topic, Runnable listener) {}

    /**
     * What can change besides lanes with work.
     *
     * @param name the same on all nodes, such as {@code CRONS}
     */
    record Topic(String name) {
        /** A node has joined, left or changed its status. */
        public static final Topic NODES = new Topic("NODES");

        /** A leader has given up its role. */
        public static final Topic LEADERS = new Topic("LEADERS");

        public static final Topic CRONS = new Topic("CRONS");
    }

    /** Whether wake-ups arrive at the moment; if not, nodes poll more often. */
    boolean isListening();

    /** A coordinator without wake-ups: nodes only poll. */
    static ClusterCoordinator none() {
        return new ClusterCoordinator() {
            @Override
            public void notifyNewWork(Set<Lane> lanes) {}

            @Override
            public void registerWakeupListener(Runnable listener) {}

            @Override
            public boolean isListening() {
                return false;
            }
        };
    }
}
