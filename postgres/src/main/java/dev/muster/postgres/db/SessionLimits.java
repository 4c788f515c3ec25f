package dev.muster.postgres.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Gives sessions of Muster's own pool the limits of {@code transactions/limits.sql} for good, so that a statement that is
 * its own transaction need not bring them each time: for a single enqueue that is a tenth. Sessions of a host's pool are
 * the host's, and those behind a pooler may be anybody's: there the limits come with each transaction, as they do before it
 * is known that there is no pooler.
 *
 * <p>A connection that is handed to others goes without them: what others run may take as long as it likes.
 */
public final class SessionLimits {
    private static final String REMOVE = "RESET statement_timeout; RESET lock_timeout; RESET synchronous_commit";

    /** Whoever enqueues less is not kept waiting for the answer. */
    private static final int ASKED_AFTER = 100;

    private final BooleanSupplier ownSessions;
    private final String set;
    private final AtomicInteger statements = new AtomicInteger();
    private volatile boolean own;
    private final Map<Object, Boolean> limited = Collections.synchronizedMap(new WeakHashMap<>());

    /**
     * @param ownSessions whether nobody but this node uses the sessions that its connections lead to; may take a while, and
     *     is asked once
     */
    SessionLimits(BooleanSupplier ownSessions, String set) {
        this.ownSessions = ownSessions;
        this.set = set;
    }

    /** Whether the session of this connection has the limits; gives them to it if it may. In autocommit mode only. */
    boolean ensure(Connection connection) throws SQLException {
        if (statements.get() < ASKED_AFTER && statements.incrementAndGet() == ASKED_AFTER) {
            own = ownSessions.getAsBoolean();
        }
        if (!own) {
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
