package dev.muster.postgres.internal.db;

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
 * A connection of the program's pool, which is returned with its original autocommit mode and network timeout: not every pool
 * resets these two. The driver keeps both itself, so this costs no round trip.
 *
 * @param autoCommit the original autocommit mode
 * @param networkTimeout the original network timeout, in milliseconds
 */
public record PoolConnection(Connection connection, boolean autoCommit, int networkTimeout) implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(PoolConnection.class);

    /** Found by its name, because programs with another pool need not have the class. */
    private static final String HIKARI = "com.zaxxer.hikari.HikariDataSource";

    /**
     * @param source where the connection comes from
     * @throws OpenTransaction if a transaction is open on it
     */
    static PoolConnection of(DataSource source, Connection connection) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        if (isInTransaction(connection)) {
            if (autoCommit || !isPoolThatRollsBack(source)) {
                throw new OpenTransaction();
            }
            connection.commit();
        }
        return new PoolConnection(connection, autoCommit, connection.getNetworkTimeout());
    }

    private static boolean isInTransaction(Connection connection) throws SQLException {
        return connection.isWrapperFor(BaseConnection.class)
                && connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE;
    }

    /**
     * HikariCP gives a connection to one borrower at a time and, if it is not in autocommit mode, rolls back what a borrower
     * leaves open. So what is open on a connection is what the pool did to set it up: its schema, its initial SQL. Any borrower
     * commits that with its first transaction; a rollback would change the schema.
     */
    private static boolean isPoolThatRollsBack(DataSource source) {
        for (Class<?> type = source.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().equals(HIKARI)) {
                return true;
            }
        }
        return false;
    }

    /** A connection for user code: in autocommit mode, and returned to the pool when it is closed. */
    static Connection autoCommitting(DataSource source) throws SQLException {
        Connection connection = source.getConnection();
        PoolConnection loan;
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
                PoolConnection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
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
            // The connection is broken; its pool notices when it is closed.
            log.debug("a broken connection goes back as it is", e);
        } finally {
            giveBack();
        }
    }

    /** What was committed is committed, whatever the pool says about its connection. */
    private void giveBack() {
        try {
            connection.close();
        } catch (SQLException e) {
            log.debug("a connection could not be given back", e);
        }
    }
}
