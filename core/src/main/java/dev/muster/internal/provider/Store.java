package dev.muster.internal.provider;

import dev.muster.Admin;
import dev.muster.cluster.ClusterCoordinator;
import dev.muster.internal.cluster.NodeStore;
import dev.muster.internal.job.store.ClaimStore;
import dev.muster.internal.job.store.DependencyStore;
import dev.muster.internal.job.store.JobReader;
import dev.muster.internal.job.store.JobStore;
import dev.muster.internal.job.store.QueueStore;
import dev.muster.internal.job.store.RecoveryStore;
import dev.muster.internal.leader.LeaderStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** The database of a node: the ports to its tables, and its connections. The job engine's ports have methods of their own. */
public interface Store extends AutoCloseable {

    JobStore jobs();

    JobReader jobReader();

    ClaimStore claims();

    DependencyStore dependencies();

    RecoveryStore recovery();

    NodeStore nodes();

    QueueStore queues();

    LeaderStore leaders();

    /**
     * The port to the tables of a subsystem, such as {@link dev.muster.internal.schedule.CronStore}.
     *
     * @throws dev.muster.runtime.MusterException if this store has no such port
     */
    <P> P port(Class<P> type);

    /** What operators ask beside what the other ports offer. */
    Admin admin();

    /** A connection from the pool, for user code; the caller closes it. */
    Connection connection() throws SQLException;

    /** Sends and receives wake-ups through the database. */
    ClusterCoordinator coordinator();

    /** Opens the control connection, which is used for heartbeats, leadership and wake-ups, and keeps it open. */
    void connect(Events events);

    /** Asks the database on the control connection, and returns whether it answers within a short time. */
    boolean isReachable();

    /**
     * Makes calls fail at once if the database does not answer, instead of waiting for a connection. For a node that is leaving:
     * otherwise each of its last statements would wait.
     */
    void failFast(boolean failFast);

    /** How many connections are in use. */
    int connections();

    /** Brings the schema up to date. */
    void migrate();

    /** Migrations that are not applied yet, by name. */
    List<String> pendingMigrations();

    @Override
    void close();

    /** Events of the control connection. Called on its thread, so they must be quick. */
    interface Events {

        /** A node has joined, left or changed its status. */
        void nodesChanged();

        /** The connection had broken and is back: notifications may have been lost meanwhile. */
        void reconnected();

        /** Ignores all events. */
        static Events ignored() {
            return new Events() {
                @Override
                public void nodesChanged() {}

                @Override
                public void reconnected() {}
            };
        }
    }
}
