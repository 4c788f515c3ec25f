package dev.muster.postgres.internal.db;

import dev.muster.internal.node.HandlerTransactions;
import dev.muster.internal.runtime.SentCommits;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens transactions on the connections that user code gets. Begin and commit are one round trip each. */
public final class PostgresHandlerTransactions implements HandlerTransactions {
    private static final Logger log = LoggerFactory.getLogger(PostgresHandlerTransactions.class);

    private final Database database;

    public PostgresHandlerTransactions(Database database) {
        this.database = database;
    }

    @Override
    public Transaction begin(int isolation, boolean readOnly, @Nullable Duration longestStatement) throws SQLException {
        Connection connection = database.connection();
        PooledTransaction transaction = new PooledTransaction(connection);
        try {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute(statements(isolation, readOnly, longestStatement));
            }
            return transaction;
        } catch (SQLException | RuntimeException | Error e) {
            transaction.rollback();
            throw e;
        }
    }

    private String statements(int isolation, boolean readOnly, @Nullable Duration longestStatement) {
        // Zero would mean without end.
        String limit = longestStatement == null
                ? ""
                : "SET LOCAL statement_timeout = " + Math.max(1, longestStatement.toMillis()) + ";";
        return readOnly
                ? database.sql("transactions/begin_read_only", Map.of("limit", limit))
                : database.sql("transactions/begin_read_write", Map.of("isolation", level(isolation), "limit", limit));
    }

    private static String level(int isolation) {
        return switch (isolation) {
            case Connection.TRANSACTION_READ_COMMITTED -> "READ COMMITTED";
            case Connection.TRANSACTION_REPEATABLE_READ -> "REPEATABLE READ";
            case Connection.TRANSACTION_SERIALIZABLE -> "SERIALIZABLE";
            default -> throw new IllegalArgumentException("there is no isolation level " + isolation);
        };
    }

    /** A transaction on a connection of the pool. */
    private final class PooledTransaction implements Transaction {
        private final Connection connection;

        PooledTransaction(Connection connection) {
            this.connection = connection;
        }

        @Override
        public Connection connection() {
            return connection;
        }

        @Override
        public void commit() throws SQLException {
            try {
                requireIntact();
                database.timeline().requireStillNewest(connection);
                commitOnce();
                SentCommits.note();
            } catch (SQLException | RuntimeException | Error e) {
                rollback();
                throw e;
            }
            giveBack();
        }

        /** Otherwise the server would roll back, and the driver would report that as a commit. */
        private void requireIntact() throws SQLException {
            if (connection.isWrapperFor(BaseConnection.class)
                    && connection.unwrap(BaseConnection.class).getTransactionState() == TransactionState.FAILED) {
                throw new SQLException(
                        "a statement of the transaction failed, and the code that sent it returned all the same; it is rolled back",
                        SqlStates.FAILED_TRANSACTION);
            }
        }

        private void commitOnce() throws SQLException {
            try {
                connection.commit();
            } catch (SQLException e) {
                throw SqlStates.connectionBroke(e) || SqlStates.notFromTheServer(e) ? new LostCommit(e) : e;
            }
        }

        @Override
        public boolean rollback() {
            boolean works = false;
            try {
                connection.rollback();
                works = true;
            } catch (SQLException e) {
                log.debug("a transaction could not be rolled back; its connection is ended", e);
                // Otherwise it could be committed later, when autocommit is switched on again.
                ConnectionAborter.discard(connection);
            }
            giveBack();
            return works;
        }

        private void giveBack() {
            try (Connection returned = connection) {
                returned.setAutoCommit(true);
            } catch (SQLException e) {
                log.debug("a broken connection goes back as it is", e);
            }
        }
    }
}
