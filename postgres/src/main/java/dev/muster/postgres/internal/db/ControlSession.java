package dev.muster.postgres.internal.db;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session behind a {@link ControlConnection}: what is set on it, and how it is given back. The connection may belong to a pool, so
 * nothing must be left behind on it.
 */
final class ControlSession implements AutoCloseable {
    static final String READ_COMMITTED = "read committed";

    private static final Logger log = LoggerFactory.getLogger(ControlSession.class);

    /** Longer than any statement may take here: after this time the server is considered unreachable. */
    private static final int SOCKET_TIMEOUT_MS = 6_000;

    /** Makes the server notice within seconds that the node is unreachable, and release its locks. */
    private static final String SETTINGS = "SET statement_timeout = '4s'; SET lock_timeout = '3s';"
            + " SET default_transaction_isolation = 'read committed'; SET tcp_keepalives_idle = 3;"
            + " SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 3; SET tcp_user_timeout = '5s'";

    private static final String TAKES_NO_WRITES =
            "SELECT pg_is_in_recovery(), current_setting('transaction_read_only') = 'on'";

    private static final String NOTHING_LEFT =
            "UNLISTEN *; SELECT pg_advisory_unlock_all(); RESET statement_timeout; RESET lock_timeout;"
                    + " RESET tcp_keepalives_idle; RESET tcp_keepalives_interval; RESET tcp_keepalives_count;"
                    + " RESET tcp_user_timeout";

    private final Connection connection;
    private final PoolConnection loan;
    private final boolean portable;
    private final String isolation;

    private ControlSession(Connection connection, PoolConnection loan, boolean portable, String isolation) {
        this.connection = connection;
        this.loan = loan;
        this.portable = portable;
        this.isolation = isolation;
    }

    /**
     * Where sessions are opened.
     *
     * @param channel the channel to listen on; null for none
     * @param portable whether the session behind a connection may change with each transaction
     */
    record Login(DataSource dataSource, @Nullable String channel, boolean portable, ServerTimeline timeline) {

        /** Opens a session; fails if its server takes no writes. */
        ControlSession open() throws SQLException {
            Connection fresh = dataSource.getConnection();
            PoolConnection lent = prepare(fresh);
            try (Statement statement = fresh.createStatement()) {
                String isolation = defaultIsolation(statement);
                if (!portable) {
                    statement.execute(SETTINGS);
                }
                if (channel != null) {
                    statement.execute("LISTEN \"" + channel + "\"");
                }
                return new ControlSession(fresh, lent, portable, isolation);
            } catch (SQLException e) {
                // The connection may belong to a pool, and some of the session's settings are on it.
                ConnectionAborter.discard(fresh);
                lent.close();
                throw e;
            }
        }

        /** Opens a connection and closes it; fails if its server takes no writes. */
        void check() throws SQLException {
            try (Connection fresh = dataSource.getConnection()) {
                prepare(fresh).close();
            }
        }

        /** Prepares a new connection; if its server takes no writes, refuses it and closes the connection. */
        private PoolConnection prepare(Connection fresh) throws SQLException {
            PoolConnection lent = null;
            try {
                lent = PoolConnection.of(dataSource, fresh);
                fresh.setNetworkTimeout(Runnable::run, SOCKET_TIMEOUT_MS);
                fresh.setAutoCommit(true);
                if (portable) {
                    Statements.neverPrepare(fresh);
                }
                try (Statement statement = fresh.createStatement()) {
                    refuseWhatTakesNoWrites(statement);
                }
                timeline.require(fresh);
                return lent;
            } catch (SQLException | OpenTransaction e) {
                if (e instanceof SQLException refused && SqlStates.wrongServer(refused)) {
                    ConnectionAborter.discard(fresh);
                }
                if (lent == null) {
                    fresh.close();
                } else {
                    lent.close();
                }
                throw e;
            }
        }

        /** A standby accepts no heartbeat and grants advisory locks to every node. */
        private static void refuseWhatTakesNoWrites(Statement statement) throws SQLException {
            ResultSet rows = statement.executeQuery(TAKES_NO_WRITES);
            rows.next();
            if (rows.getBoolean(1) || rows.getBoolean(2)) {
                throw new DatabaseErrors.TakesNoWrites(rows.getBoolean(1));
            }
        }

        private static String defaultIsolation(Statement statement) throws SQLException {
            ResultSet rows = statement.executeQuery("SELECT current_setting('default_transaction_isolation')");
            rows.next();
            return rows.getString(1);
        }
    }

    Connection connection() {
        return connection;
    }

    /** The default isolation level of the server, the role or the pool. */
    String isolation() {
        return isolation;
    }

    /** Undoes what was set and gives the connection back. */
    @Override
    public void close() {
        try {
            if (!portable && !connection.isClosed()) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute(NOTHING_LEFT + "; SET default_transaction_isolation = '" + isolation + "'");
                }
            }
        } catch (SQLException e) {
            // The connection is broken already and only has to be closed.
        } finally {
            giveBack();
        }
    }

    private void giveBack() {
        try {
            loan.close();
        } catch (SQLException | RuntimeException e) {
            log.debug("closing a broken connection failed", e);
        }
    }
}
