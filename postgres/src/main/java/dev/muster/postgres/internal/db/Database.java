package dev.muster.postgres.internal.db;

import dev.muster.internal.runtime.SentCommits;
import dev.muster.postgres.internal.db.DatabaseErrors.CommitLost;
import dev.muster.postgres.internal.db.DatabaseErrors.NotConnected;
import dev.muster.runtime.WaitInterrupted;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Connections and transactions. */
public final class Database {
    private static final Logger log = LoggerFactory.getLogger(Database.class);
    private static final int TRIES = 4;
    private static final int SOCKET_TIMEOUT_MS = 40_000;

    /** As soon as a node would notice it. */
    private static final Duration SILENT = Duration.ofSeconds(5);

    /** For how long a pool that has given no connection is not asked again by transactions that have another way. */
    private static final long STILL_EMPTY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * The first statement of every transaction. With a stricter default of the server, the role or the pool, claims would make
     * each other fail (40001), and statements would not see what was committed since the first one. PostgreSQL takes no
     * snapshot for it. It holds for one transaction only, so there is nothing to restore.
     */
    public static final String READ_COMMITTED = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

    /** The first statement of a transaction that refuses writes. */
    static final String READ_ONLY = READ_COMMITTED + " READ ONLY";

    private final DataSource dataSource;
    private final SqlFiles sql;
    private final boolean portable;
    private final ServerTimeline timeline;
    private final SessionLimits sessionLimits;
    private final AtomicInteger inUse = new AtomicInteger();
    private final LentConnections lent = new LentConnections();
    private volatile SilenceWatch silence = new SilenceWatch(lent, SILENT, () -> false, () -> {});
    private volatile BooleanSupplier away = () -> false;
    private volatile WritableServer server = WritableServer.ASSUMED;
    private volatile Spare spare = Spare.NONE;

    /** When the pool last gave no connection. */
    private volatile long emptyAt = System.nanoTime() - STILL_EMPTY_NANOS;

    public Database(DataSource dataSource, SqlFiles sql) {
        this(dataSource, sql, false, () -> false);
    }

    /**
     * @param portable whether connections may lead to another session with each transaction
     * @param ownSessions whether only this node uses the sessions behind its connections; called once, and late
     */
    public Database(DataSource dataSource, SqlFiles sql, boolean portable, BooleanSupplier ownSessions) {
        this(dataSource, sql, portable, ownSessions, new ServerTimeline(sql, portable));
    }

    private Database(
            DataSource dataSource,
            SqlFiles sql,
            boolean portable,
            BooleanSupplier ownSessions,
            ServerTimeline timeline) {
        this.dataSource = dataSource;
        this.sql = sql;
        this.portable = portable;
        this.timeline = timeline;
        this.sessionLimits = new SessionLimits(ownSessions, sql.get("transactions/session_limits"));
    }

    /** Connections for {@link Readers} to a server that may be a standby: its timeline is neither asked for nor raised. */
    public static Database ofReplica(DataSource dataSource, SqlFiles sql, boolean portable) {
        return new Database(dataSource, sql, portable, () -> false, ServerTimeline.unchecked(sql));
    }

    /** Work inside a transaction. */
    @FunctionalInterface
    public interface Work<T> {
        T run(Connection connection) throws SQLException;
    }

    /** What is known about the server behind the connections. */
    public interface WritableServer {
        WritableServer ASSUMED = new WritableServer() {
            @Override
            public @Nullable SQLException refusal() {
                return null;
            }

            @Override
            public void doubted() {}
        };

        /** Why connections cannot be used now: the server takes no writes. Null if it does, or if nothing is known. */
        @Nullable
        SQLException refusal();

        /** A connection has refused a write, so the server has to be checked. */
        void doubted();
    }

    /** A connection to the database beside the pool. */
    public interface Spare {
        Spare NONE = new Spare() {
            @Override
            public boolean isOpen() {
                return false;
            }

            @Override
            public <T> T once(Work<T> work) throws SQLException {
                throw new SQLException("there is no spare connection", SqlStates.CONNECTION_CLOSED);
            }
        };

        /** Whether it leads to a database that answers. */
        boolean isOpen();

        /** Runs work in one transaction, once, and lets its SQLException through, as {@link Database#once} does. */
        <T> T once(Work<T> work) throws SQLException;
    }

    /** From now on some transactions use this connection while the pool is empty. */
    public void use(Spare connection) {
        this.spare = connection;
    }

    /** From now on no statement is sent to a server that is known to take no writes. */
    public void ask(WritableServer known) {
        this.server = known;
    }

    /** Ends the connections that have been in use since before this moment: their server may never answer. */
    public void abortUsedSinceBefore(long nanos) {
        lent.abortUsedSinceBefore(nanos);
    }

    /**
     * Looks for another server while a call waits for some seconds.
     *
     * @param isWanted whether nobody else notices that a server is silent
     * @param look looks for another server, and ends the connections to the present one if there is
     */
    public void lookElsewhereIfSilent(BooleanSupplier isWanted, Runnable look) {
        this.silence = new SilenceWatch(lent, SILENT, isWanted, look);
    }

    /** The control connection notices silence from now on. */
    public void leaveSilenceToNode() {
        silence.lookAgain();
    }

    /** Nobody looks for another server any more. */
    public void stopLooking() {
        silence.close();
    }

    /** Callers do not wait for a connection while this returns true. */
    public void refuseWhile(BooleanSupplier away) {
        this.away = away;
    }

    /** The timelines of the servers that this node has worked on. */
    public ServerTimeline timeline() {
        return timeline;
    }

    /** How many connections are in use or waited for. */
    public int inUse() {
        return inUse.get();
    }

    public String sql(String name) {
        return sql.get(name);
    }

    /** The text of this name with texts put in where its file names them. */
    public String sql(String name, Map<String, String> parts) {
        return sql.get(name, parts);
    }

    /** A statement of this name. */
    public Query query(String name) {
        return Query.of(sql.get(name), false);
    }

    /** A statement of this name with texts put in where its file names them, such as {filter}. */
    public Query query(String name, Map<String, String> parts) {
        return Query.of(sql.get(name, parts), false);
    }

    /** A statement of this name that the server prepares at its first use. */
    public Query preparedQuery(String name) {
        return Query.of(sql.get(name), true);
    }

    /** The same with texts put in. */
    public Query preparedQuery(String name, Map<String, String> parts) {
        return Query.of(sql.get(name, parts), true);
    }

    public String schema() {
        return sql.schema();
    }

    /** Runs work in one transaction with the statement settings of {@code jobs/preamble.sql}. */
    public <T> T inTransaction(Work<T> work) {
        return repeated(connection -> {
            applySettings(connection);
            return work.run(connection);
        });
    }

    /**
     * Runs work in one transaction with the limits of {@code transactions/limits.sql} and the planner's own choices; a
     * serialization failure or deadlock is tried again.
     */
    public <T> T inRawTransaction(Work<T> work) {
        return repeated(connection -> {
            applyTimeLimits(connection);
            return work.run(connection);
        });
    }

    /** The same as {@link #inTransaction} for work that only reads: if its commit is lost, nothing is in doubt. */
    public <T> T reading(Work<T> work) {
        return repeated(
                connection -> {
                    applySettings(connection, READ_ONLY);
                    return work.run(connection);
                },
                this::onceReading);
    }

    /** The same as {@link #inRawTransaction} for work that only reads. */
    public <T> T readingRaw(Work<T> work) {
        return repeated(
                connection -> {
                    applyTimeLimits(connection, READ_ONLY);
                    return work.run(connection);
                },
                this::onceReading);
    }

    /** Runs statements that work on jobs in one transaction: one round trip for all of them, and one for the commit. */
    public void send(StatementPart... statements) {
        List<StatementPart> parts = new ArrayList<>(settings());
        parts.addAll(List.of(statements));
        repeated(connection -> {
            StatementPart.send(connection, parts);
            return null;
        });
    }

    /** The same as {@link #inTransaction}, but over the spare connection if the pool gives none. */
    public <T> T inTransactionOrSpare(Work<T> work) {
        return repeated(
                connection -> {
                    applySettings(connection);
                    return work.run(connection);
                },
                this::onceOrSpare);
    }

    private <T> T repeated(Work<T> work) {
        return repeated(work, this::once);
    }

    @FunctionalInterface
    private interface Runner<T> {
        T run(Work<T> work) throws SQLException;
    }

    private <T> T repeated(Work<T> work, Runner<T> runner) {
        for (int attempt = 1; ; attempt++) {
            try {
                return runner.run(work);
            } catch (SQLException e) {
                if (attempt >= TRIES || !SqlStates.worthRepeating(e)) {
                    throw DatabaseErrors.translate(e);
                }
                pause(attempt);
            }
        }
    }

    /**
     * Runs work in one transaction, once, and lets its SQLException through. The first statement of the work names the
     * isolation level and limits: {@link #applySettings}, {@link #applyTimeLimits}, or {@link #READ_COMMITTED} before others.
     */
    public <T> T once(Work<T> work) throws SQLException {
        return once(work, Database::commit);
    }

    /** The same as {@link #once} for work that writes nothing. */
    <T> T onceReading(Work<T> work) throws SQLException {
        return once(work, Connection::commit);
    }

    @FunctionalInterface
    private interface End {
        void of(Connection connection) throws SQLException;
    }

    private <T> T once(Work<T> work, End end) throws SQLException {
        inUse.incrementAndGet();
        try (PoolConnection loan = connect()) {
            Connection connection = loan.connection();
            connection.setAutoCommit(false);
            LentConnections.Use use = begin(connection);
            try {
                requireNewestServer(connection);
                T value = work.run(connection);
                timeline.requireStillNewest(connection);
                end.of(connection);
                return value;
            } catch (Throwable e) {
                // Roll back after Errors too: switching autocommit on again would commit what is half done.
                leaveIfUseless(connection, e);
                rollback(connection, e);
                throw e;
            } finally {
                lent.end(use);
            }
        } finally {
            inUse.decrementAndGet();
        }
    }

    /**
     * Commits what was written. Until this is called, nothing can have been done, whatever breaks.
     *
     * @throws CommitLost if it is not known whether it was committed
     */
    static void commit(Connection connection) throws SQLException {
        try {
            connection.commit();
        } catch (SQLException e) {
            if (SqlStates.connectionBroke(e) || SqlStates.notFromTheServer(e)) {
                SentCommits.note();
                throw new CommitLost(e);
            }
            throw e;
        }
        SentCommits.note();
    }

    /**
     * The same as {@link #once}, but if the pool gives no connection, because others keep all of them, over the spare connection: for
     * the few small transactions without which a node that works well would look as if it did not.
     */
    public <T> T onceOrSpare(Work<T> work) throws SQLException {
        if (System.nanoTime() - emptyAt < STILL_EMPTY_NANOS && spare.isOpen()) {
            return spare.once(work);
        }
        try {
            return once(work);
        } catch (NotConnected e) {
            if (!spare.isOpen()) {
                throw e;
            }
            return spare.once(work);
        }
    }

    /** Runs one statement that is its own transaction: one round trip instead of two. */
    public <T> T statement(Work<T> work) throws SQLException {
        try (PoolConnection loan = connect()) {
            Connection connection = loan.connection();
            connection.setAutoCommit(true);
            LentConnections.Use use = begin(connection);
            try {
                requireNewestServer(connection);
                return work.run(connection);
            } catch (SQLException e) {
                leaveIfUseless(connection, e);
                throw e;
            } finally {
                lent.end(use);
            }
        }
    }

    private LentConnections.Use begin(Connection connection) {
        LentConnections.Use use = lent.begin(connection);
        silence.begun();
        return use;
    }

    /** A connection to a standby, a read-only session or an old primary must not be given to the next borrower. */
    private void leaveIfUseless(Connection connection, Throwable e) {
        if (e instanceof SQLException refused && SqlStates.wrongServer(refused)) {
            if (SqlStates.takesNoWrites(refused)) {
                server.doubted();
            }
            ConnectionAborter.discard(connection);
        }
    }

    /** A connection in autocommit mode, for others to use and to close. */
    public Connection connection() throws SQLException {
        Connection connection = PoolConnection.autoCommitting(dataSource);
        try {
            timeline.require(connection);
            sessionLimits.remove(connection);
            return connection;
        } catch (SQLException e) {
            if (SqlStates.wrongServer(e)) {
                ConnectionAborter.discard(connection);
            }
            connection.close();
            throw e;
        }
    }

    private void requireNewestServer(Connection connection) throws NotConnected {
        try {
            timeline.require(connection);
        } catch (SQLException e) {
            throw new NotConnected(e);
        }
    }

    private PoolConnection connect() throws SQLException {
        if (away.getAsBoolean()) {
            throw new NotConnected(new SQLException("it does not answer, and this node is leaving"));
        }
        SQLException refusal = server.refusal();
        if (refusal != null) {
            throw new NotConnected(refusal);
        }
        Connection connection;
        try {
            connection = dataSource.getConnection();
        } catch (SQLException e) {
            emptyAt = System.nanoTime();
            throw new NotConnected(e);
        }
        try {
            PoolConnection loan = PoolConnection.of(dataSource, connection);
            connection.setNetworkTimeout(Runnable::run, SOCKET_TIMEOUT_MS);
            if (portable) {
                Statements.neverPrepare(connection);
            }
            return loan;
        } catch (SQLException e) {
            connection.close();
            throw new NotConnected(e);
        } catch (OpenTransaction e) {
            connection.close();
            throw e;
        }
    }

    private static void rollback(Connection connection, Throwable cause) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            cause.addSuppressed(e);
            abort(connection);
        }
    }

    /** A connection that cannot be rolled back is ended, so that it cannot commit later. */
    private static void abort(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            log.debug("a broken connection could not be aborted", e);
        }
    }

    /** Begins a transaction that works on jobs: READ COMMITTED, with limits, along indexes. One round trip. */
    public void applySettings(Connection connection) throws SQLException {
        applySettings(connection, READ_COMMITTED);
    }

    private void applySettings(Connection connection, String first) throws SQLException {
        try (PreparedStatement statement = Statements.prepare(connection, first + ";" + sql("jobs/preamble"))) {
            statement.execute();
            timeline.read(Statements.lastResult(statement));
        }
    }

    /** The statements of {@link #applySettings}, to be sent before others in one round trip with them. */
    public List<StatementPart> settings() {
        return List.of(
                StatementPart.unread(READ_COMMITTED),
                new StatementPart(
                        sql("jobs/preamble"), params -> {}, statement -> timeline.read(StatementPart.rows(statement))));
    }

    /** Begins any other transaction: READ COMMITTED, with limits. One round trip. */
    public void applyTimeLimits(Connection connection) throws SQLException {
        applyTimeLimits(connection, READ_COMMITTED);
    }

    private void applyTimeLimits(Connection connection, String first) throws SQLException {
        try (PreparedStatement statement =
                Statements.prepare(connection, first + ";" + sql("transactions/limits") + ";")) {
            statement.execute();
        }
    }

    /** The text to put before the first statement of a transaction, so that both are sent in one round trip. */
    public String begin() {
        return READ_COMMITTED + ";" + sql("transactions/limits") + ";";
    }

    /**
     * The text to put before a statement that is its own transaction; empty if the session has its limits already. It sets no
     * isolation level, because a statement that only inserts or only reads does the same in every level.
     */
    public String limits(Connection connection) throws SQLException {
        return sessionLimits.ensure(connection) ? "" : sql("transactions/limits") + ";";
    }

    public static void pause(int attempt) {
        try {
            TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextLong(1, 20L << attempt));
        } catch (InterruptedException e) {
            throw new WaitInterrupted("the next try of a statement", e);
        }
    }
}
