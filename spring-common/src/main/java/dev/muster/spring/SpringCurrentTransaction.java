package dev.muster.spring;

import static org.springframework.util.ReflectionUtils.findMethod;
import static org.springframework.util.ReflectionUtils.invokeMethod;
import static org.springframework.util.ReflectionUtils.makeAccessible;

import dev.muster.job.CurrentTransaction;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import dev.muster.spring.internal.UnderlyingDataSource;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transaction that Spring has open on this thread, if it is one of Muster's own {@code DataSource}: of {@code @Transactional} methods
 * and {@code TransactionTemplate}, over JDBC or JPA.
 *
 * <p>A transaction of another {@code DataSource} is not joined, because it could not be committed together with Muster's tables. The first
 * time, this logs a warning.
 *
 * <p>What is written in {@code afterCommit}, when that transaction is over, is committed by {@link JoinedTransaction}. In {@code
 * afterCompletion}, and so in methods with {@code @TransactionalEventListener}, there is no transaction to join any more, although Spring
 * still has its connection bound to the thread.
 */
public final class SpringCurrentTransaction implements CurrentTransaction {
    private static final Logger log = LoggerFactory.getLogger(SpringCurrentTransaction.class);

    /** Says whether a transaction manager has begun a transaction; Spring shows it to its own package only. */
    private static final Method TRANSACTION_ACTIVE =
            Objects.requireNonNull(findMethod(ConnectionHolder.class, "isTransactionActive"));

    static {
        makeAccessible(TRANSACTION_ACTIVE);
    }

    /** Null if Muster has a database of its own. */
    private final @Nullable DataSource dataSource;

    private final AtomicBoolean warned = new AtomicBoolean();

    /** @param dataSource where Muster's tables are, with or without proxies around it */
    public SpringCurrentTransaction(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    private SpringCurrentTransaction() {
        this.dataSource = null;
    }

    /** For a Muster with a database of its own: joins no transaction, and says so when there is one. */
    public static SpringCurrentTransaction joiningNone() {
        return new SpringCurrentTransaction();
    }

    /**
     * {@inheritDoc}
     *
     * @throws MusterException if the transaction is read-only
     */
    @Override
    public Optional<Connection> current() {
        if (!TransactionSynchronizationManager.isActualTransactionActive()
                || !TransactionSynchronizationManager.isSynchronizationActive()) {
            return Optional.empty();
        }
        List<ConnectionHolder> managed = managedHolders();
        if (managed.isEmpty()) {
            warnOnce();
        }
        Optional<Connection> connection = managed.stream()
                .map(ConnectionHolder::getConnection)
                .filter(SpringCurrentTransaction::isInTransaction)
                .findFirst();
        if (connection.isPresent() && TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new MusterException(
                    "jobs cannot be enqueued in a read-only transaction: enqueue in one that may write, or outside of it");
        }
        connection.ifPresent(open -> JoinedTransaction.current(this).writes(open));
        return connection;
    }

    /**
     * What holds connections of Muster's own pool for a transaction manager. The key is the DataSource that the manager has, which may be
     * wrapped otherwise than Muster's own.
     */
    private List<ConnectionHolder> managedHolders() {
        List<ConnectionHolder> found = new ArrayList<>();
        DataSource own = dataSource;
        if (own == null) {
            return found;
        }
        TransactionSynchronizationManager.getResourceMap().forEach((key, value) -> {
            if (key instanceof DataSource source
                    && value instanceof ConnectionHolder holder
                    && UnderlyingDataSource.isSame(source, own)
                    && isManaged(holder)) {
                found.add(holder);
            }
        });
        return found;
    }

    /**
     * While a transaction of another DataSource is open, Spring keeps connections of this one bound too, and releases them with that
     * transaction, but commits nothing on them. A manager for JPA keeps its session synchronized, and not the connection.
     */
    private static boolean isManaged(ConnectionHolder holder) {
        return !holder.isSynchronizedWithTransaction() || Boolean.TRUE.equals(invokeMethod(TRANSACTION_ACTIVE, holder));
    }

    /** Hibernate's connection is in autocommit mode again after the commit. */
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
                            + " that transaction's DataSource (muster.data-source, and no muster.database.url), or enqueue after the commit");
        }
    }

    @Override
    public void afterCommit(Runnable action) {
        JoinedTransaction.current(this).runAfterCommit(action);
    }
}
