package dev.muster;

import dev.muster.cluster.NodeStore;
import dev.muster.job.JobStore;
import dev.muster.job.QueueStore;
import dev.muster.recovery.Duty;
import dev.muster.wakeup.ClusterCoordinator;
import java.util.List;

/** Everything that a node keeps in its database, and the connections to it. */
public interface Store extends AutoCloseable {

    JobStore jobs();

    NodeStore nodes();

    QueueStore queues();

    /** Wake-ups through the database. */
    ClusterCoordinator coordinator();

    /** Transactions for those who keep the cluster in order without being its leader. */
    Duty.Transactions transactions();

    /** Opens the control connection, which carries heartbeats and wake-ups, and keeps it open. */
    void connect(Events events);

    /** Whether the database answers on the control connection; asks it, and does not wait long. */
    boolean isReachable();

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
    }
}
