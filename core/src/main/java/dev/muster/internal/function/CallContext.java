package dev.muster.internal.function;

import dev.muster.access.Caller;
import dev.muster.function.FunctionCall;
import dev.muster.function.Isolation;
import dev.muster.function.MutationContext;
import dev.muster.function.QueryContext;
import dev.muster.internal.node.HandlerTransactions;
import dev.muster.internal.node.HandlerTransactions.Transaction;
import dev.muster.internal.runtime.ConnectionTurn;
import dev.muster.internal.runtime.SqlErrors;
import dev.muster.job.Enqueuer;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a handler sees of its call, and the call's transaction, which its first use opens. */
final class CallContext implements QueryContext, MutationContext {
    private static final Logger log = LoggerFactory.getLogger(CallContext.class);

    private final FunctionHandler function;
    private final FunctionCall call;
    private final HandlerTransactions transactions;
    private final JobsIn jobs;
    private final List<Runnable> afterCommit = new ArrayList<>();
    private final Supplier<Duration> timeLeft;
    private final BooleanSupplier cancelled;

    /** Of the request that this call belongs to. The function may ask for its connection on another thread. */
    private final @Nullable ConnectionTurn turn = ConnectionTurn.current();

    private @Nullable Transaction transaction;
    private @Nullable GuardedConnection guard;
    private @Nullable Connection connection;
    private boolean ended;
    private boolean broken;

    /** Enqueues in a transaction; the actions it gets are run after the commit. */
    @FunctionalInterface
    interface JobsIn {
        Enqueuer in(Connection connection, Consumer<Runnable> afterCommit);
    }

    CallContext(
            FunctionHandler function,
            FunctionCall call,
            HandlerTransactions transactions,
            JobsIn jobs,
            Supplier<Duration> timeLeft,
            BooleanSupplier cancelled) {
        this.function = function;
        this.call = call;
        this.transactions = transactions;
        this.jobs = jobs;
        this.timeLeft = timeLeft;
        this.cancelled = cancelled;
    }

    @Override
    public Caller caller() {
        return call.caller();
    }

    @Override
    public String requestId() {
        return call.requestId();
    }

    @Override
    public boolean isCancelled() {
        return cancelled.getAsBoolean();
    }

    @Override
    public synchronized Connection connection() throws SQLException {
        if (ended) {
            throw new MusterException("the call of '" + function.name() + "' has ended, and its transaction with it");
        }
        if (connection == null) {
            Transaction opened = begin();
            transaction = opened;
            guard = new GuardedConnection(opened.connection(), function.name(), cancelled);
            connection = guard.asConnection();
        }
        return connection;
    }

    /** With a connection goes a turn, which {@link #endTurn} gives back. */
    private Transaction begin() throws SQLException {
        beginTurn();
        boolean begun = false;
        try {
            Transaction opened = open();
            begun = true;
            return opened;
        } finally {
            if (!begun) {
                endTurn();
            }
        }
    }

    private void beginTurn() {
        if (turn == null) {
            return;
        }
        try {
            turn.begin();
        } catch (RuntimeException e) {
            broken = true;
            throw e;
        }
    }

    private void endTurn() {
        if (turn != null) {
            turn.end();
        }
    }

    private Transaction open() throws SQLException {
        try {
            return transactions.begin(level(function.isolation()), !function.isMutation(), timeLeft.get());
        } catch (SQLException e) {
            broken = SqlErrors.causedByLostConnection(e);
            throw e;
        }
    }

    private static int level(Isolation isolation) {
        return switch (isolation) {
            case READ_COMMITTED -> Connection.TRANSACTION_READ_COMMITTED;
            case REPEATABLE_READ -> Connection.TRANSACTION_REPEATABLE_READ;
            case SERIALIZABLE -> Connection.TRANSACTION_SERIALIZABLE;
        };
    }

    @Override
    public Enqueuer jobs() {
        try {
            return jobs.in(connection(), this::afterCommit);
        } catch (SQLException e) {
            throw new DatabaseUnavailable("the mutation's transaction could not be opened: " + e.getMessage(), e);
        }
    }

    private synchronized void afterCommit(Runnable action) {
        afterCommit.add(action);
    }

    /** Whether the handler has used its transaction. */
    synchronized boolean isOpen() {
        return transaction != null;
    }

    /** Whether the database did not answer, the call's turn did not come, or the connection was found broken. */
    synchronized boolean isBroken() {
        return broken;
    }

    /** Lets nobody use the transaction any more, and returns it if there is one. */
    private synchronized @Nullable Transaction close() {
        ended = true;
        if (guard != null) {
            guard.end();
        }
        return transaction;
    }

    void commit() throws SQLException {
        Transaction open = close();
        if (open != null) {
            try {
                open.commit();
            } finally {
                endTurn();
            }
            afterCommit.forEach(this::run);
        }
    }

    /** The mutation is committed, whatever becomes of this. */
    private void run(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            log.warn(
                    "function={} could not wake nodes for its jobs; they find them when they poll", function.name(), e);
        }
    }

    void rollback() {
        Transaction open = close();
        if (open == null) {
            return;
        }
        try {
            if (!open.rollback()) {
                synchronized (this) {
                    broken = true;
                }
            }
        } finally {
            endTurn();
        }
    }
}
