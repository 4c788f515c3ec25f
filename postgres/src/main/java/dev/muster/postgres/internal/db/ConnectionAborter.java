package dev.muster.postgres.internal.db;

import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends connections that must not be used any more, even if their server does not answer. */
public final class ConnectionAborter {
    private static final Logger log = LoggerFactory.getLogger(ConnectionAborter.class);

    private ConnectionAborter() {}

    /**
     * Ends the connection: a thread that waits for an answer on it gets an error. Does not wait, because closing may take long.
     */
    public static void abort(Connection connection) {
        try {
            connection.abort(command -> {
                Thread thread = new Thread(command, "muster-abort");
                thread.setDaemon(true);
                thread.start();
            });
        } catch (SQLException e) {
            log.debug("a connection could not be aborted", e);
        }
    }

    /** Ends a connection before it is returned to its pool, and lets the pool notice that it is broken. */
    public static void discard(Connection connection) {
        try {
            connection.abort(Runnable::run);
            // Pools learn that a connection is broken from an exception that it throws.
            connection.createStatement().close();
        } catch (SQLException e) {
            log.debug("a connection was discarded", e);
        }
    }
}
