package dev.muster.spring;

import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A transaction of Spring in which Muster has written, and what Muster does after its commit.
 *
 * <p>While Spring calls {@code afterCommit}, the connection is still bound and not in autocommit mode, so it looks as if the transaction
 * were open. What is written then belongs to a second transaction, which Spring may roll back without a word when it returns the
 * connection. {@link #afterCompletion} commits it.
 */
final class JoinedTransaction implements TransactionSynchronization {
    private final Object key;
    private final List<Runnable> actions = new ArrayList<>();
    private @Nullable Connection written;

    private JoinedTransaction(Object key) {
        this.key = key;
    }

    /**
     * The one of the transaction that is open on this thread; it is registered with the first call.
     *
     * @param key under which Spring keeps it
     */
    static JoinedTransaction current(Object key) {
        if (TransactionSynchronizationManager.getResource(key) instanceof JoinedTransaction known) {
            return known;
        }
        JoinedTransaction joined = new JoinedTransaction(key);
        TransactionSynchronizationManager.registerSynchronization(joined);
        TransactionSynchronizationManager.bindResource(key, joined);
        return joined;
    }

    void writes(Connection connection) {
        written = connection;
    }

    void runAfterCommit(Runnable action) {
        actions.add(action);
    }

    /** First of all, so that workers need not wait for what the application does after the commit. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public void suspend() {
        TransactionSynchronizationManager.unbindResource(key);
    }

    @Override
    public void resume() {
        TransactionSynchronizationManager.bindResource(key, this);
    }

    /**
     * What was written up to here, the commit that is about to begin commits. Not in {@link #afterCommit}: that of another synchronization may
     * have been called before, and may have written something that is not committed yet.
     */
    @Override
    public void beforeCompletion() {
        written = null;
    }

    @Override
    public void afterCommit() {
        runActions();
    }

    /** @throws MusterException if what was written after the commit cannot be committed; Spring logs it as an error */
    @Override
    public void afterCompletion(int status) {
        TransactionSynchronizationManager.unbindResourceIfPossible(key);
        if (status == STATUS_COMMITTED) {
            commitWhatWasWrittenAfterTheCommit();
            // Spring leaves out afterCommit if that of another synchronization fails.
            runActions();
        }
    }

    private void commitWhatWasWrittenAfterTheCommit() {
        Connection connection = written;
        if (connection == null) {
            return;
        }
        try {
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
        } catch (SQLException e) {
            throw new MusterException(
                    "jobs that were enqueued in afterCommit of a transaction are lost, because they could not be committed: "
                            + e.getMessage(),
                    e);
        }
    }

    private void runActions() {
        List<Runnable> now = List.copyOf(actions);
        actions.clear();
        now.forEach(Runnable::run);
    }
}
