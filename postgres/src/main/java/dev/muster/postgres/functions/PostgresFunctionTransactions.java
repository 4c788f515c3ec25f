package dev.muster.postgres.functions;

import dev.muster.function.FunctionTransactions;
import dev.muster.function.Isolation;
import dev.muster.postgres.db.ConnectionAborter;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.SqlStates;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens transactions on the connections that user code gets. Begin and commit are one round trip each. */
public final class PostgresFunctionTransactions implements FunctionTransactions {
    private static final Logger log = LoggerFactory.getLogger(PostgresFunctionTransactions.class);

    private final Database database;

    public PostgresFunctionTransactions(Database database) {
        this.database = database;
    }

    @Override
    public Transaction begin(Isolation isolation, boolean readOnly, Duration longestStatement) throws SQLException {
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

    private String statements(Isolation isolation, boolean readOnly, Duration longestStatement) {
        // Zero would mean without end.
        String timeout = String.valueOf(Math.max(1, longestStatement.toMillis()));
        return readOnly
                ? database.sql("functions/begin_query", Map.of("timeout", timeout))
                : database.sql("functions/begin_mutation", Map.of("isolation", level(isolation), "timeout", timeout));
    }

    private static String level(Isolation isolation) {
        return switch (isolation) {
            case READ_COMMITTED -> "READ COMMITTED";
            case REPEATABLE_READ -> "REPEATABLE READ";
            case SERIALIZABLE -> "SERIALIZABLE";
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
                        "a statement of the transaction failed, and the function returned all the same; it is rolled back",
                        SqlStates.FAILED_TRANSACTION);
            }
        }

        private void commitOnce() throws SQLException {
            try {
                connection.commit();
            } catch (SQLException e) {
                throw SqlStates.connectionBroke(e) ? new LostCommit(e) : e;
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
