package dev.muster.postgres.internal.db;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.postgresql.PGConnection;

/**
 * Keeps this node from working on old primaries. Each connection is asked once for the timeline of its server (see {@code
 * muster_server}), which is raised at the same time if necessary. A server whose timeline is below the newest that this node
 * has worked on is an old primary that came back after a failover: what it acknowledges is lost. A server that was upgraded or
 * restored has a higher one, whatever PostgreSQL's own timeline is.
 *
 * <p>A primary keeps its timeline for as long as it runs, so that one answer is valid for the life of a connection. Behind a
 * pooler that is not certain: there an answer is valid for a second.
 */
public final class ServerTimeline {
    private static final long HOLDS_BEHIND_A_POOLER_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int TRIES = 3;

    private final SqlFiles sql;
    private final boolean pooler;
    private final boolean checked;
    private final AtomicLong newest = new AtomicLong();
    private volatile boolean migrated;
    private final Map<Object, Answer> answers = Collections.synchronizedMap(new WeakHashMap<>());

    /** For connections through which nothing is written, so that any server will do. */
    static ServerTimeline unchecked(SqlFiles sql) {
        return new ServerTimeline(sql, false, false);
    }

    /** @param pooler whether connections may lead to another server with each transaction */
    ServerTimeline(SqlFiles sql, boolean pooler) {
        this(sql, pooler, true);
    }

    private ServerTimeline(SqlFiles sql, boolean pooler, boolean checked) {
        this.sql = sql;
        this.pooler = pooler;
        this.checked = checked;
    }

    /**
     * @param raised whether the timeline has been raised if necessary; otherwise it may be too low for a fence
     * @param outdated whether another connection has met another server since then: the next user of this one asks again, and who has begun a
     *     transaction with this answer has to end it with the same
     */
    private record Answer(long timeline, boolean raised, boolean outdated, long nanos) {
        Answer(long timeline, boolean raised) {
            this(timeline, raised, false, System.nanoTime());
        }

        Answer asOutdated() {
            return new Answer(timeline, raised, true, nanos);
        }
    }

    /** This node has worked on a newer timeline than the server's. */
    static final class OldPrimary extends SQLException {
        private static final long serialVersionUID = 1L;

        OldPrimary(long timeline, long newest) {
            super(
                    "this server is on timeline " + timeline + ", but this node has worked on timeline " + newest
                            + ": an old primary came back after a failover; stop it (if it is the server to continue with, run"
                            + " UPDATE muster_server SET wal_timeline = 0 on it)",
                    SqlStates.CANNOT_CONNECT_NOW);
        }
    }

    /** The tables are on another server than recorded. The transaction has to be repeated after the timeline was raised. */
    static final class ServerChanged extends SQLException {
        private static final long serialVersionUID = 1L;

        ServerChanged() {
            super("the database is on another server than before", SqlStates.SERIALIZATION_FAILURE);
        }
    }

    /**
     * Asks the connection's server, unless it has answered before. Leaves no transaction open.
     *
     * @throws OldPrimary if the server's timeline is below the newest
     */
    void require(Connection connection) throws SQLException {
        if (!checked) {
            return;
        }
        Object session = session(connection);
        Answer known = answers.get(session);
        if (known == null
                || !known.raised()
                || known.outdated()
                || known.timeline() < newest.get()
                || pooler && System.nanoTime() - known.nanos() > HOLDS_BEHIND_A_POOLER_NANOS) {
            ask(connection, session);
        }
    }

    /**
     * Checks the timeline inside a user's transaction, where nothing may be raised, locked or committed.
     *
     * @throws OldPrimary if the server's timeline is below the newest
     */
    public void requireInside(Connection connection) throws SQLException {
        Object session = session(connection);
        Answer known = answers.get(session);
        if (known != null && !known.outdated() && known.timeline() >= newest.get()) {
            return;
        }
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql.get("server/timeline"))) {
            if (rows.next()) {
                long timeline = rows.getLong(1);
                refuseOlder(timeline);
                answers.put(session, new Answer(timeline, false));
            }
        }
    }

    /**
     * Checks at the end of a transaction that no other connection has met a newer server meanwhile.
     *
     * @throws OldPrimary if one has
     */
    public void requireStillNewest(Connection connection) throws SQLException {
        Answer known = answers.get(session(connection));
        if (known != null) {
            refuseOlder(known.timeline());
        }
    }

    /**
     * The newest timeline that this process has worked on. Read inside a transaction that has read its own, and that commits, it is that of
     * the transaction's server.
     */
    public long newest() {
        return newest.get();
    }

    /**
     * Reads the timeline from the result of {@code jobs/preamble.sql}.
     *
     * @return the timeline, which is the first half of fences
     * @throws ServerChanged if the timeline has to be raised first
     * @throws OldPrimary if the timeline is below the newest
     */
    public long read(ResultSet preamble) throws SQLException {
        if (!preamble.next()
                || !preamble.getBoolean("same_table")
                || preamble.getLong("wal_timeline") != walTimeline(preamble)) {
            answers.replaceAll((session, answer) -> answer.asOutdated());
            throw new ServerChanged();
        }
        long timeline = preamble.getLong("timeline");
        refuseOlder(timeline);
        return timeline;
    }

    /** PostgreSQL's own timeline from the result of {@code jobs/preamble.sql}. */
    public static long walTimeline(ResultSet preamble) throws SQLException {
        return Long.parseLong(preamble.getString("server_timeline"), 16);
    }

    private void ask(Connection connection, Object session) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try (Statement statement = connection.createStatement()) {
                if (!isMigrated(statement)) {
                    end(connection);
                    return;
                }
                ResultSet rows = statement.executeQuery(sql.get("server/raise_timeline"));
                rows.next();
                long timeline = rows.getLong(1);
                boolean standby = rows.wasNull();
                end(connection);
                if (!standby) {
                    refuseOlder(timeline);
                    answers.put(session, new Answer(timeline, true));
                }
                return;
            } catch (SQLException e) {
                if (e instanceof OldPrimary) {
                    throw e;
                }
                // A read-only role has no right to call the function.
                if (SqlStates.notMigrated(e) || SqlStates.notAllowed(e)) {
                    undo(connection);
                    return;
                }
                if (!SqlStates.serializationFailure(e) || attempt >= TRIES) {
                    throw e;
                }
                undo(connection);
            }
        }
    }

    /** Asked instead of tried, because each failure would be an error in the log of a server that has no tables yet. */
    private boolean isMigrated(Statement statement) throws SQLException {
        if (!migrated) {
            ResultSet rows = statement.executeQuery(sql.get("server/has_timeline"));
            rows.next();
            migrated = rows.getBoolean(1);
        }
        return migrated;
    }

    private static void end(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
    }

    private static void undo(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
    }

    private void refuseOlder(long timeline) throws OldPrimary {
        long known = newest.accumulateAndGet(timeline, Math::max);
        if (timeline < known) {
            throw new OldPrimary(timeline, known);
        }
    }

    /** The object that stays the same when a pool returns the same connection again. */
    static Object session(Connection connection) throws SQLException {
        return connection.isWrapperFor(PGConnection.class) ? connection.unwrap(PGConnection.class) : connection;
    }
}
