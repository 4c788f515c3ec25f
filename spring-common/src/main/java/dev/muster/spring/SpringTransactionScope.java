package dev.muster.spring;

import dev.muster.job.TransactionScope;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transaction that Spring has open on this thread, if it is one of Muster's own {@code DataSource}: of {@code @Transactional} methods
 * and {@code TransactionTemplate}, over JDBC or JPA.
 *
 * <p>A transaction of another {@code DataSource} is not joined, because it could not be committed together with Muster's tables. The first
 * time, this logs a warning.
 */
public final class SpringTransactionScope implements TransactionScope {
    private static final Logger log = LoggerFactory.getLogger(SpringTransactionScope.class);

    private final DataSource dataSource;
    private final AtomicBoolean warned = new AtomicBoolean();

    /** @param dataSource where Muster's tables are, with or without proxies around it */
    public SpringTransactionScope(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * {@inheritDoc}
     *
     * @throws MusterException if the transaction is read-only
     */
    @Override
    public Optional<Connection> current() {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            return Optional.empty();
        }
        Optional<Connection> connection = connectionOfTransaction();
        if (connection.isEmpty()) {
            warnOnce();
        } else if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new MusterException(
                    "jobs cannot be enqueued in a read-only transaction: enqueue in one that may write, or outside of it");
        }
        return connection;
    }

    /** The key of a connection is the DataSource that the transaction manager has, which may be wrapped otherwise than Muster's own. */
    private Optional<Connection> connectionOfTransaction() {
        for (Map.Entry<Object, Object> resource :
                TransactionSynchronizationManager.getResourceMap().entrySet()) {
            if (resource.getKey() instanceof DataSource key
                    && resource.getValue() instanceof ConnectionHolder holder
                    && UnderlyingDataSource.isSame(key, dataSource)) {
                Connection connection = holder.getConnection();
                if (isInTransaction(connection)) {
                    return Optional.of(connection);
                }
            }
        }
        return Optional.empty();
    }

    /** While a transaction of another DataSource is open, Spring keeps connections of this one bound that are in autocommit mode. */
    private static boolean isInTransaction(Connection connection) {
        try {
            return !connection.getAutoCommit();
        } catch (SQLException e) {
            throw new DatabaseUnavailable("the connection of the current transaction is broken: " + e.getMessage(), e);
        }
    }

    private void warnOnce() {
        if (warned.compareAndSet(false, true)) {
            log.warn(
                    "a transaction is open, but not on the DataSource that Muster uses, or its transaction manager does not show its"
                            + " connection: what is enqueued in such a transaction stays enqueued even if it rolls back. Let Muster use"
                            + " that transaction's DataSource (muster.data-source), or enqueue after the commit");
        }
    }

    @Override
    public void afterCommit(Runnable action) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                action.run();
            }
        });
    }
}
