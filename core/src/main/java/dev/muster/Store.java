package dev.muster;

import dev.muster.cluster.NodeStore;
import dev.muster.daemon.DaemonStore;
import dev.muster.job.JobStore;
import dev.muster.job.QueueStore;
import dev.muster.lock.LockStore;
import dev.muster.schedule.CronStore;
import dev.muster.wakeup.ClusterCoordinator;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Everything that a node keeps in its database, and the connections to it. */
public interface Store extends AutoCloseable {

    JobStore jobs();

    NodeStore nodes();

    QueueStore queues();

    CronStore crons();

    DaemonStore daemons();

    LockStore locks();

    /** A connection of the pool, for user code, which closes it. */
    Connection connection() throws SQLException;

    /** Wake-ups through the database. */
    ClusterCoordinator coordinator();

    /** Opens the control connection, which carries heartbeats and wake-ups, and keeps it open. */
    void connect();

    /** Brings the schema up to date. */
    void migrate();

    /** Migrations that are not applied yet, by name. */
    List<String> pendingMigrations();

    @Override
    void close();
}
