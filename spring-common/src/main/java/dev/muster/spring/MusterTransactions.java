package dev.muster.spring;

import dev.muster.job.CurrentTransaction;
import dev.muster.job.JobContext;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;

/**
 * Completes a job in the transaction that Spring has open, so that what the handler writes and the job's outcome commit together:
 *
 * <pre>{@code
 * @Job("ship_order")
 * @Transactional
 * public void ship(JobContext ctx, ShipArgs args) {
 *     orders.markShipped(args.id());
 *     transactions.complete(ctx);
 * }
 * }</pre>
 */
public final class MusterTransactions {
    private final CurrentTransaction transaction;

    public MusterTransactions(CurrentTransaction transaction) {
        this.transaction = transaction;
    }

    /** Like {@link #complete(JobContext, Object)}, for a job without a result. */
    public void complete(JobContext context) {
        complete(context, null);
    }

    /**
     * Writes the job's completion in the current transaction; see {@link JobContext#completeIn(Connection, Object)}. Call it once, as the
     * last thing before the transaction commits. If it rolls back, the attempt has failed.
     *
     * @throws dev.muster.job.ClaimLost if the claim is no longer current; let it through, so that the transaction rolls back
     * @throws MusterException if there is no transaction, or none of Muster's DataSource
     */
    public void complete(JobContext context, @Nullable Object result) {
        Connection connection = transaction
                .current()
                .orElseThrow(() -> new MusterException("job " + context.id() + " (" + context.name()
                        + ") can only be completed in a transaction of the DataSource that Muster uses, and none is open: is the"
                        + " method @Transactional, was it called through the bean and not through 'this', and does Muster use that"
                        + " DataSource, without a muster.database.url of its own?"));
        try {
            context.completeIn(connection, result);
        } catch (SQLException e) {
            throw new DataAccessResourceFailureException(
                    "the completion of job " + context.id() + " could not be written: " + e.getMessage(), e);
        }
    }
}
