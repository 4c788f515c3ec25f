package dev.muster;

import dev.muster.cluster.NodeStore;
import dev.muster.job.JobStore;
import dev.muster.job.QueueStore;
import dev.muster.leader.LeaderStore;
import dev.muster.upkeep.UpkeepStore;
import dev.muster.wakeup.ClusterCoordinator;
import java.util.List;

/** Everything that a node keeps in its database, and the connections to it. */
public interface Store extends AutoCloseable {

    JobStore jobs();

    NodeStore nodes();

    QueueStore queues();

    LeaderStore leaders();

    UpkeepStore upkeep();

    /** Wake-ups through the database. */
    ClusterCoordinator coordinator();

    /** Opens the control connection, which carries heartbeats, leadership and wake-ups, and keeps it open. */
    void connect();

    /** Brings the schema up to date. */
    void migrate();

    /** Migrations that are not applied yet, by name. */
    List<String> pendingMigrations();

    @Override
    void close();
}
