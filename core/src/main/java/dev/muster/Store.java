package dev.muster;

import dev.muster.cluster.NodeStore;
import dev.muster.daemon.DaemonStore;
import dev.muster.job.store.JobStore;
import dev.muster.job.store.QueueStore;
import dev.muster.leader.LeaderStore;
import dev.muster.lock.LockStore;
import dev.muster.schedule.CronStore;
import dev.muster.upkeep.UpkeepStore;
import dev.muster.wakeup.ClusterCoordinator;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Everything that a node keeps in its database, and the connections to it. */
public interface Store extends AutoCloseable {

    JobStore jobs();

    NodeStore nodes();

    QueueStore queues();

    LeaderStore leaders();

    CronStore crons();

    DaemonStore daemons();

    LockStore locks();

    UpkeepStore upkeep();

    /** A connection of the pool, for user code, which closes it. */
    Connection connection() throws SQLException;

    /** Wake-ups through the database. */
    ClusterCoordinator coordinator();

    /** Opens the control connection, which carries heartbeats, leadership and wake-ups, and keeps it open. */
    void connect(Events events);

    /** Whether the database answers on the control connection; asks it, and does not wait long. */
    boolean isReachable();

    /**
     * Whether to give up at once where the database does not answer, instead of waiting for a connection. For a node that
     * is leaving: each of its goodbyes would wait.
     */
    void failFast(boolean failFast);

    /** Connections in use. */
    int connections();

    /** Brings the schema up to date. */
    void migrate();

    /** Migrations that are not applied yet, by name. */
    List<String> pendingMigrations();

    @Override
    void close();

    /** What the control connection hears. Called on its thread: must be quick. */
    interface Events {

        /** Some node came, went or changed its status. */
        void nodesChanged();

        /** The connection had broken and is back: whatever happened meanwhile was not heard. */
        void reconnected();

        /** For whoever does not care. */
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
