package dev.muster.postgres;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection of the host's pool, which gets it back as it was: not every pool sets these two right again. The driver
 * keeps both itself, so this costs no round trip.
 *
 * @param autoCommit as it was when the connection came
 * @param networkTimeout as it was, in milliseconds
 */
record Loan(Connection connection, boolean autoCommit, int networkTimeout) implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Loan.class);

    /** @throws OpenTransaction if somebody is in the middle of a transaction on it */
    static Loan of(Connection connection) throws SQLException {
        if (connection.isWrapperFor(BaseConnection.class)
                && connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE) {
            throw new OpenTransaction();
        }
        return new Loan(connection, connection.getAutoCommit(), connection.getNetworkTimeout());
    }

    /** The connection for code that knows nothing of loans: in autocommit mode, and given back when it is closed. */
    static Connection autoCommitting(Connection connection) throws SQLException {
        Loan loan;
        try {
            loan = of(connection);
            connection.setAutoCommit(true);
        } catch (SQLException | OpenTransaction e) {
            connection.close();
            throw e;
        }
        return loan.autoCommit ? connection : loan.returnedOnClose();
    }

    private Connection returnedOnClose() {
        return (Connection) Proxy.newProxyInstance(
                Loan.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        close();
                        return null;
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Override
    public void close() throws SQLException {
        try {
            connection.setAutoCommit(autoCommit);
            connection.setNetworkTimeout(Runnable::run, networkTimeout);
        } catch (SQLException e) {
            // It is broken; its pool finds out when it is closed.
            log.debug("a broken connection goes back as it is", e);
        } finally {
            connection.close();
        }
    }
}
