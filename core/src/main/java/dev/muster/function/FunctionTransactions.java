package dev.muster.function;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** Opens the transactions of calls, each on a connection of the pool. */
public interface FunctionTransactions {

    /**
     * Begins a transaction.
     *
     * @param readOnly whether it refuses writes
     * @param longestStatement how long each of its statements may take
     * @throws SQLException if there is no connection, or it cannot be used
     */
    Transaction begin(Isolation isolation, boolean readOnly, Duration longestStatement) throws SQLException;

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
