package dev.muster.daemon;

import dev.muster.job.Fence;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.slf4j.Logger;

/** What a daemon knows about its run. */
public interface DaemonContext {

    String name();

    /** The node it runs on. */
    String nodeId();

    /** How many times it was started again since it last ran well for a while. */
    int restarts();

    /**
     * Waits, and returns true as soon as the daemon is to stop: its node drains, or it moves to another one, or its lease
     * is lost. In that last case its thread is interrupted too.
     */
    boolean awaitShutdown(Duration atMost);

    /** Whether it is to stop. */
    boolean isShutdown();

    /** Orders the instances of this daemon for the user's own stores: accept no write below the highest seen. */
    Fence fence();

    /** A connection of the pool that Muster uses, in autocommit mode. The caller closes it, best with try. */
    Connection connection() throws SQLException;

    /** A logger with the daemon's name. */
    Logger log();
}
