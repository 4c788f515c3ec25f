package dev.muster.wakeup;

import dev.muster.job.Lane;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;

/** Carries wake-ups between nodes. The default is PostgreSQL's LISTEN/NOTIFY; {@link #none()} leaves it to polling. */
public interface ClusterCoordinator {

    /** Tells all nodes that these lanes have new work, already committed. Must not block on the network. */
    void notifyNewWork(Set<Lane> lanes);

    /** Same for work that becomes visible when this transaction commits. Without support for it, polling finds the work. */
    default void notifyNewWork(Connection connection, Set<Lane> lanes) throws SQLException {}

    /** Tells all nodes that this lane has new work when so much time has passed. Without support for it, polling finds the work. */
    default void notifyNewWorkLater(Lane lane, Duration delay) {}

    /** Calls the listener whenever there may be new work. Listeners must be quick. */
    void registerWakeupListener(Runnable listener);

    /** Same, with the lanes; an empty set means that it is not known which. */
    default void registerWakeupListener(Consumer<Set<Lane>> listener) {
        registerWakeupListener(() -> listener.accept(Set.of()));
    }

    /** Tells all nodes that something other than work has changed, such as a cron. Without support for it, polling finds out. */
    default void notifyChange(Topic topic) {}

    /** Calls the listener whenever such a thing has changed, or may have. Listeners must be quick. */
    default void registerChangeListener(Topic topic, Runnable listener) {}

    /** What can change besides work. */
    enum Topic {
        CRONS,
        DAEMONS
    }

    /** Whether wake-ups arrive at the moment; if not, nodes poll more often. */
    boolean isListening();

    /** No wake-ups. */
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
