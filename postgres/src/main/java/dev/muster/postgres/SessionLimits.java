package dev.muster.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Gives sessions of Muster's own pool the limits of {@code transactions/limits.sql} for good, so that a statement that is
 * its own transaction need not bring them each time: for a single enqueue that is a tenth. Sessions of a host's pool are
 * the host's, and those behind a pooler may be anybody's: there the limits come with each transaction.
 *
 * <p>A connection that is handed to others goes without them: what others run may take as long as it likes.
 */
final class SessionLimits {
    private static final String REMOVE = "RESET statement_timeout; RESET lock_timeout; RESET synchronous_commit";

    private final boolean ownSessions;
    private final String set;
    private final Map<Object, Boolean> limited = Collections.synchronizedMap(new WeakHashMap<>());

    /** @param ownSessions whether nobody but this node uses the sessions that its connections lead to */
    SessionLimits(boolean ownSessions, String set) {
        this.ownSessions = ownSessions;
        this.set = set;
    }

    /** Whether the session of this connection has the limits; gives them to it if it may. In autocommit mode only. */
    boolean ensure(Connection connection) throws SQLException {
        if (!ownSessions) {
            return false;
        }
        Object session = ServerTimeline.session(connection);
        if (!limited.containsKey(session)) {
            run(connection, set);
            limited.put(session, true);
        }
        return true;
    }

    /** Takes the limits off a connection that others will use. */
    void remove(Connection connection) throws SQLException {
        if (limited.remove(ServerTimeline.session(connection)) != null) {
            run(connection, REMOVE);
        }
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
