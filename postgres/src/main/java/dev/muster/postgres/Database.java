package dev.muster.postgres;

import dev.muster.postgres.ServerTimeline.OldPrimary;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.PGStatement;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Connections, transactions and what their errors mean. */
final class Database {
    private static final Logger log = LoggerFactory.getLogger(Database.class);
    private static final int TRIES = 4;
    private static final int SOCKET_TIMEOUT_MS = 40_000;
    private static final Set<String> WORTH_REPEATING = Set.of("40001", "40P01");

    /** A prepared statement that is there already, or not at all: the session is not the one it was prepared in. */
    private static final Set<String> MIXED_UP_SESSIONS = Set.of("42P05", "26000");

    /** No such schema, table, column or function. */
    private static final Set<String> NOT_MIGRATED = Set.of("3F000", "42P01", "42703", "42883");

    /**
     * The first statement of every transaction: the level that the server, the role or the pool have chosen for others
     * would make claims fail at each other (40001) and statements miss what was committed since the first. PostgreSQL
     * takes no snapshot for it. For one transaction only, so there is nothing to restore.
     */
    static final String READ_COMMITTED = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

    private final DataSource dataSource;
    private final SqlFiles sql;
    private final boolean portable;
    private final ServerTimeline timeline;
    private final AtomicInteger inUse = new AtomicInteger();
    private volatile BooleanSupplier away = () -> false;

    Database(DataSource dataSource, SqlFiles sql) {
        this(dataSource, sql, false);
    }

    /** @param portable whether connections may lead to another session with each transaction */
    Database(DataSource dataSource, SqlFiles sql, boolean portable) {
        this.dataSource = dataSource;
        this.sql = sql;
        this.portable = portable;
        this.timeline = new ServerTimeline(sql, portable);
    }

    /** Work inside a transaction. */
    @FunctionalInterface
    interface Work<T> {
        T run(Connection connection) throws SQLException;
    }

    /** Waits for no connection while this says that there is none to be had. */
    void refuseWhile(BooleanSupplier away) {
        this.away = away;
    }

    /** What this node knows of the servers it has worked on. */
    ServerTimeline timeline() {
        return timeline;
    }

    /** Connections in use, with those waited for. */
    int inUse() {
        return inUse.get();
    }

    String sql(String name) {
        return sql.get(name);
    }

    String schema() {
        return sql.schema();
    }

    /** Runs work in one transaction with the statement settings of {@code jobs/preamble.sql}. */
    <T> T inTransaction(Work<T> work) {
        return repeated(connection -> {
            applySettings(connection);
            return work.run(connection);
        });
    }

    /**
     * Runs work in one transaction with the limits of {@code transactions/limits.sql} and the planner's own choices; a
     * serialization failure or deadlock is tried again.
     */
    <T> T inRawTransaction(Work<T> work) {
        return repeated(connection -> {
            applyLimits(connection);
            return work.run(connection);
        });
    }

    private <T> T repeated(Work<T> work) {
        for (int attempt = 1; ; attempt++) {
            try {
                return once(work);
            } catch (SQLException e) {
                if (attempt >= TRIES || !WORTH_REPEATING.contains(String.valueOf(e.getSQLState()))) {
                    throw translate(e);
                }
                pause(attempt);
            }
        }
    }

    /**
     * Runs work in one transaction, once, and lets its SQLException through. The first statement of the work names the
     * isolation level and limits: {@link #applySettings}, {@link #applyLimits}, or {@link #READ_COMMITTED} before others.
     */
    <T> T once(Work<T> work) throws SQLException {
        inUse.incrementAndGet();
        try (Loan loan = connect()) {
            Connection connection = loan.connection();
            connection.setAutoCommit(false);
            try {
                requireNewestServer(connection);
                T value = work.run(connection);
                timeline.requireStillNewest(connection);
                connection.commit();
                return value;
            } catch (Throwable e) {
                // Errors too: switching autocommit on again would commit what they left half done.
                rollback(connection, e);
                if (isOldPrimary(e)) {
                    abort(connection);
                }
                throw e;
            }
        } finally {
            inUse.decrementAndGet();
        }
    }

    /** Runs one statement that is its own transaction: one round trip instead of two. */
    <T> T statement(Work<T> work) throws SQLException {
        try (Loan loan = connect()) {
            Connection connection = loan.connection();
            connection.setAutoCommit(true);
            try {
                requireNewestServer(connection);
                return work.run(connection);
            } catch (SQLException e) {
                if (isOldPrimary(e)) {
                    abort(connection);
                }
                throw e;
            }
        }
    }

    /** A connection in autocommit mode, for others to use and to close. */
    Connection connection() throws SQLException {
        Connection connection = Loan.autoCommitting(dataSource.getConnection());
        try {
            timeline.require(connection);
            return connection;
        } catch (SQLException e) {
            if (isOldPrimary(e)) {
                abort(connection);
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

    /** Then the connection must not be used again. */
    private static boolean isOldPrimary(Throwable e) {
        return e instanceof OldPrimary || e instanceof NotConnected && e.getCause() instanceof OldPrimary;
    }

    /** Could not get a connection: certain that nothing was written. */
    static final class NotConnected extends SQLException {
        private static final long serialVersionUID = 1L;

        NotConnected(SQLException cause) {
            super(cause.getMessage(), cause.getSQLState() == null ? "08001" : cause.getSQLState(), cause);
        }
    }

    private Loan connect() throws SQLException {
        if (away.getAsBoolean()) {
            throw new NotConnected(new SQLException("it does not answer, and this node is leaving"));
        }
        Connection connection;
        try {
            connection = dataSource.getConnection();
        } catch (SQLException e) {
            throw new NotConnected(e);
        }
        try {
            Loan loan = Loan.of(connection);
            connection.setNetworkTimeout(Runnable::run, SOCKET_TIMEOUT_MS);
            if (portable) {
                neverPrepare(connection);
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

    /** A connection that cannot even roll back must not live to commit. */
    private static void abort(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            log.debug("a broken connection could not be aborted", e);
        }
    }

    /** Begins a transaction that works on jobs: READ COMMITTED, with limits, along indexes. One round trip. */
    void applySettings(Connection connection) throws SQLException {
        try (PreparedStatement statement = prepare(connection, READ_COMMITTED + ";" + sql("jobs/preamble"))) {
            statement.execute();
            timeline.read(lastResult(statement));
        }
    }

    /** Begins any other transaction: READ COMMITTED, with limits. One round trip. */
    void applyLimits(Connection connection) throws SQLException {
        try (PreparedStatement statement = prepare(connection, begin())) {
            statement.execute();
        }
    }

    /** What to put before the first statement of a transaction, to send both in one round trip. */
    String begin() {
        return READ_COMMITTED + ";" + limits();
    }

    /**
     * What to put before a statement that is its own transaction. Without a level: a statement that only inserts, or only
     * reads, does the same in any.
     */
    String limits() {
        return sql("transactions/limits") + ";";
    }

    /** The rows of the last of several statements that were sent together. */
    static ResultSet lastResult(PreparedStatement statement) throws SQLException {
        ResultSet last = null;
        do {
            ResultSet rows = statement.getResultSet();
            if (rows != null) {
                last = rows;
            }
        } while (statement.getMoreResults(Statement.KEEP_CURRENT_RESULT) || statement.getUpdateCount() != -1);
        if (last == null) {
            throw new SQLException("none of the statements returned rows");
        }
        return last;
    }

    /** What the driver prepares on a server belongs to one session, and the next statement may be another's. */
    static void neverPrepare(Connection connection) throws SQLException {
        if (connection.isWrapperFor(PGConnection.class)) {
            connection.unwrap(PGConnection.class).setPrepareThreshold(0);
        }
    }

    /**
     * A statement that the server prepares at its first use; the driver keeps it per connection. Not on a connection
     * that was told to prepare nothing.
     */
    static PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        return prepared(connection.prepareStatement(sql));
    }

    /** The same, with an answer that can be read more than once. */
    static PreparedStatement prepareScrollable(Connection connection, String sql) throws SQLException {
        return prepared(
                connection.prepareStatement(sql, ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY));
    }

    private static PreparedStatement prepared(PreparedStatement statement) throws SQLException {
        if (statement.isWrapperFor(PGStatement.class)) {
            PGStatement driver = statement.unwrap(PGStatement.class);
            if (driver.getPrepareThreshold() != 0) {
                driver.setPrepareThreshold(1);
            }
        }
        return statement;
    }

    static boolean connectionLost(SQLException e) {
        String state = String.valueOf(e.getSQLState());
        return e instanceof SQLTransientConnectionException
                || state.startsWith("08")
                || state.startsWith("57P")
                || isStandby(e)
                || state.equals("25P03")
                || state.equals("53300");
    }

    /** A standby refuses every write, and to tell where its log ends. */
    static boolean isStandby(SQLException e) {
        String state = String.valueOf(e.getSQLState());
        return state.equals("25006")
                || state.equals("55000") && String.valueOf(e.getMessage()).contains("recovery");
    }

    static MusterException translate(SQLException e) {
        if (isStandby(e)) {
            return new DatabaseUnavailable(
                    "the database is a standby and takes no writes (" + e.getMessage() + "); name every host in"
                            + " database.url, and the primary among them is found",
                    e);
        }
        if (connectionLost(e) || e instanceof NotConnected) {
            return new DatabaseUnavailable("the database cannot be reached: " + rootMessage(e), e);
        }
        if (MIXED_UP_SESSIONS.contains(String.valueOf(e.getSQLState()))) {
            return PoolerProbe.refusal(e);
        }
        if (NOT_MIGRATED.contains(String.valueOf(e.getSQLState()))) {
            return new MusterException(
                    "Muster's tables are missing or older than this program (" + e.getMessage()
                            + "); run 'muster migrate up', or set database.migrate to auto",
                    e);
        }
        return new MusterException(
                "the database refused a statement (SQLSTATE " + e.getSQLState() + "): " + e.getMessage(), e);
    }

    /** The innermost SQLException says which server; what lies below it says why, without the address. */
    private static String rootMessage(SQLException e) {
        String message = String.valueOf(e.getMessage());
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
            if (root instanceof SQLException && root.getMessage() != null) {
                message = root.getMessage();
            }
        }
        return root instanceof SQLException ? message : message + " (" + root + ")";
    }

    static void pause(int attempt) {
        try {
            TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextLong(1, 20L << attempt));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MusterException("interrupted while waiting to repeat a statement", e);
        }
    }
}
