package dev.muster.daemon;

import dev.muster.job.Fence;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.slf4j.Logger;

/** What a daemon can ask and use while it runs. */
public interface DaemonContext {

    String name();

    /** The node that the daemon runs on. */
    String nodeId();

    /** How many times the daemon was restarted since its last long run: see {@link Daemon#maxRestarts}. */
    int restarts();

    /**
     * Waits, and returns true as soon as the daemon has to stop: its node drains, the daemon moves to another node, or its lease
     * is lost. If the lease is lost, the daemon's thread is interrupted too.
     */
    boolean awaitShutdown(Duration atMost);

    /** Whether the daemon has to stop. */
    boolean isShutdown();

    /** Orders the instances of this daemon. A store of yours should reject writes with a fence below the highest it has seen. */
    Fence fence();

    /** Returns a connection from Muster's pool, in autocommit mode. The caller closes it, best with try. */
    Connection connection() throws SQLException;

    /** A logger with the daemon's name. */
    Logger log();
}
