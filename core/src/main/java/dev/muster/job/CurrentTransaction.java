package dev.muster.job;

import java.sql.Connection;
import java.util.Optional;

/**
 * Lets Muster join the transaction a framework has open on this thread when a program enqueues jobs, starts workflows, submits graphs, or
 * creates and seals batches. Without one, each of these is a transaction of its own.
 */
public interface CurrentTransaction {

    /** The connection of the current transaction, if there is one. Muster neither commits nor closes it. */
    Optional<Connection> current();

    /** Runs the action after the current transaction has committed, and not at all if it rolls back. */
    void afterCommit(Runnable action);

    /** No transactions but the caller's explicit {@code in(connection)}. */
    static CurrentTransaction none() {
        return new CurrentTransaction() {
            @Override
            public Optional<Connection> current() {
                return Optional.empty();
            }

            @Override
            public void afterCommit(Runnable action) {
                throw new IllegalStateException("there is no transaction");
            }
        };
    }
}
