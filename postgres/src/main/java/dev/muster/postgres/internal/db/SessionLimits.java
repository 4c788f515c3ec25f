package dev.muster.postgres.internal.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Sets the limits of {@code transactions/limits.sql} for whole sessions of Muster's own pool, so that a statement that is its
 * own transaction need not set them each time, which saves a tenth of a single enqueue. Sessions of a program's pool belong to
 * the program, and those behind a pooler to any client: there each transaction sets the limits, as it does until it is known
 * that there is no pooler.
 *
 * <p>A connection that is given to user code has no limits, because user code may take as long as it likes.
 */
public final class SessionLimits {
    private static final String REMOVE = "RESET statement_timeout; RESET lock_timeout; RESET synchronous_commit";

    /** A program that enqueues fewer jobs than this does not have to wait for the check. */
    private static final int ASKED_AFTER = 100;

    private final BooleanSupplier ownSessions;
    private final String set;
    private final AtomicInteger statements = new AtomicInteger();
    private volatile boolean own;
    private final Map<Object, Boolean> limited = Collections.synchronizedMap(new WeakHashMap<>());

    /**
     * @param ownSessions whether only this node uses the sessions behind its connections; may take a while, and is called once
     */
    SessionLimits(BooleanSupplier ownSessions, String set) {
        this.ownSessions = ownSessions;
        this.set = set;
    }

    /**
     * Sets the limits for the session of this connection if that is allowed, and returns whether it has them. In autocommit
     * mode only.
     */
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

    /** Removes the limits from a connection that user code will use. */
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
