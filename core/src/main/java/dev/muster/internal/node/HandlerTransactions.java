package dev.muster.internal.node;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Opens the transactions that Muster begins and commits and in which user code runs: those of functions, of steps and compensations with
 * {@code runIn}, and those in which several jobs are written at once. Whatever defaults the pool, the role and the server have, they have the
 * isolation level that is asked for, their commit is on disk when it is acknowledged, they are not committed on a server that another has
 * replaced, and the connection goes back as it came. Nothing else in Muster switches autocommit off for user code.
 */
public interface HandlerTransactions {

    /**
     * Begins a transaction.
     *
     * @param isolation one of the levels of {@link Connection}; a transaction that only reads has {@link
     *     Connection#TRANSACTION_READ_COMMITTED}
     * @param readOnly whether it refuses writes
     * @param longestStatement how long each of its statements may take; null for what the role and the server have
     * @throws SQLException if there is no connection, or it cannot be used
     */
    Transaction begin(int isolation, boolean readOnly, @Nullable Duration longestStatement) throws SQLException;

    /** A transaction, which ends once. */
    interface Transaction {

        Connection connection();

        /**
         * Commits, and gives the connection back to its pool.
         *
         * @throws LostCommit if the connection broke while it was committed
         * @throws SQLException if it was not committed
         */
        void commit() throws SQLException;

        /**
         * Rolls back, and gives the connection back to its pool. If the connection is broken, it is ended.
         *
         * @return false if the connection was broken
         */
        boolean rollback();
    }

    /** It is not known whether the transaction was committed. */
    final class LostCommit extends SQLException {
        private static final long serialVersionUID = 1L;

        public LostCommit(SQLException cause) {
            super(cause.getMessage(), cause.getSQLState(), cause);
        }
    }
}
