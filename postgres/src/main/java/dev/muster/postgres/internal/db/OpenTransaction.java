package dev.muster.postgres.internal.db;

import dev.muster.runtime.MusterException;

/**
 * The DataSource returned a connection on which a transaction is open. Muster commits its own transactions, so it would commit
 * that transaction too, although it is not finished.
 */
public final class OpenTransaction extends MusterException {
    private static final long serialVersionUID = 1L;

    OpenTransaction() {
        super(
                "the DataSource handed out a connection that is inside a transaction, which Muster would commit. If it binds"
                        + " connections to the caller's transaction (as Spring's TransactionAwareDataSourceProxy does), give Muster"
                        + " the DataSource behind it, and a CurrentTransaction to enqueue in that transaction; if it is a pool whose"
                        + " test query, schema or initial SQL leaves a transaction open, let the pool use autocommit mode, or give"
                        + " Muster the HikariDataSource itself and nothing that wraps it");
    }
}
