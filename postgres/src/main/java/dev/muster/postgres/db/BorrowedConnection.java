package dev.muster.postgres.db;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
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
public record BorrowedConnection(Connection connection, boolean autoCommit, int networkTimeout)
        implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(BorrowedConnection.class);

    /** By its name, because hosts with another pool need not have it. */
    private static final String HIKARI = "com.zaxxer.hikari.HikariDataSource";

    /**
     * @param source where the connection is from
     * @throws OpenTransaction if somebody is in the middle of a transaction on it
     */
    static BorrowedConnection of(DataSource source, Connection connection) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        if (isInTransaction(connection)) {
            if (autoCommit || !isPoolThatRollsBack(source)) {
                throw new OpenTransaction();
            }
            connection.commit();
        }
        return new BorrowedConnection(connection, autoCommit, connection.getNetworkTimeout());
    }

    private static boolean isInTransaction(Connection connection) throws SQLException {
        return connection.isWrapperFor(BaseConnection.class)
                && connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE;
    }

    /**
     * HikariCP hands a connection to one borrower at a time and, where it is not in autocommit mode, rolls back what a
     * borrower leaves open. What is open then is what the pool did to set the connection up: its schema, its initial SQL. Any
     * borrower commits that with its first transaction; rolled back, the schema would be another.
     */
    private static boolean isPoolThatRollsBack(DataSource source) {
        for (Class<?> type = source.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().equals(HIKARI)) {
                return true;
            }
        }
        return false;
    }

    /** The connection for code that knows nothing of loans: in autocommit mode, and given back when it is closed. */
    static Connection autoCommitting(DataSource source) throws SQLException {
        Connection connection = source.getConnection();
        BorrowedConnection loan;
        try {
            loan = of(source, connection);
            connection.setAutoCommit(true);
        } catch (SQLException | OpenTransaction e) {
            connection.close();
            throw e;
        }
        return loan.autoCommit ? connection : loan.returnedOnClose();
    }

    private Connection returnedOnClose() {
        return (Connection) Proxy.newProxyInstance(
                BorrowedConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (self, method, arguments) -> {
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
