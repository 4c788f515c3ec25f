package dev.muster.postgres;

import dev.muster.postgres.ServerTimeline.OldPrimary;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
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
        return inRawTransaction(connection -> {
            applySettings(connection);
            return work.run(connection);
        });
    }

    /** Runs work in one transaction; a serialization failure or deadlock is tried again. */
    <T> T inRawTransaction(Work<T> work) {
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

    /** Runs work in one transaction, once, and lets its SQLException through. */
    <T> T once(Work<T> work) throws SQLException {
        inUse.incrementAndGet();
        try (Connection connection = connect()) {
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
            } finally {
                restore(connection);
            }
        } finally {
            inUse.decrementAndGet();
        }
    }

    /** Runs one statement that is its own transaction: one round trip instead of two. */
    <T> T statement(Work<T> work) throws SQLException {
        try (Connection connection = connect()) {
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

    /** A connection for others to use and to close, as the pool gives it. */
    Connection connection() throws SQLException {
        Connection connection = dataSource.getConnection();
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

    private Connection connect() throws SQLException {
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
            connection.setNetworkTimeout(Runnable::run, SOCKET_TIMEOUT_MS);
            if (portable) {
                neverPrepare(connection);
            }
        } catch (SQLException e) {
            connection.close();
            throw new NotConnected(e);
        }
        return connection;
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

    private static void restore(Connection connection) {
        try {
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            // The connection is broken; its pool finds out when it is closed.
            return;
        }
    }

    void applySettings(Connection connection) throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql("jobs/preamble"))) {
            timeline.read(statement.executeQuery());
        }
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
