package dev.muster.postgres.internal.db;

import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.postgresql.PGStatement;

/**
 * Detects a pooler in transaction mode between this node and its database. Behind such a pooler, a lock, LISTEN or a setting is
 * granted to a session that another client uses next.
 */
public final class PoolerProbe {
    private static final int SOCKET_TIMEOUT_MS = 10_000;

    private PoolerProbe() {}

    /** @throws MusterException with advice if there is a pooler */
    public static void refusePooler(DataSource dataSource) {
        try {
            if (changesSessions(dataSource)) {
                throw DatabaseErrors.poolerInBetween(null);
            }
        } catch (SQLException e) {
            throw DatabaseErrors.translate(e);
        }
    }

    /** Whether there is a pooler, or it cannot be found out. */
    public static boolean mayBePooler(DataSource dataSource) {
        try {
            return changesSessions(dataSource);
        } catch (SQLException e) {
            return true;
        }
    }

    private static boolean changesSessions(DataSource dataSource) throws SQLException {
        try (PoolConnection first = open(dataSource);
                PoolConnection second = open(dataSource)) {
            int before = backend(first.connection());
            second.connection().setAutoCommit(false);
            try {
                // A pooler gives this transaction the session that the first connection has just used, or else has to
                // serve the first connection with another session while this transaction is open.
                return backend(second.connection()) == before || backend(first.connection()) != before;
            } finally {
                second.connection().rollback();
            }
        }
    }

    private static PoolConnection open(DataSource dataSource) throws SQLException {
        Connection connection = dataSource.getConnection();
        try {
            PoolConnection loan = PoolConnection.of(dataSource, connection);
            connection.setNetworkTimeout(Runnable::run, SOCKET_TIMEOUT_MS);
            connection.setAutoCommit(true);
            return loan;
        } catch (SQLException | OpenTransaction e) {
            connection.close();
            throw e;
        }
    }

    private static int backend(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (statement.isWrapperFor(PGStatement.class)) {
                statement.unwrap(PGStatement.class).setPrepareThreshold(0);
            }
            ResultSet rows = statement.executeQuery("SELECT pg_backend_pid()");
            rows.next();
            return rows.getInt(1);
        }
    }
}
