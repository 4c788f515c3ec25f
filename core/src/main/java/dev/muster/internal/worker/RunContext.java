package dev.muster.internal.worker;

import dev.muster.internal.attempt.AttemptContext;
import dev.muster.internal.attempt.AttemptRules;
import dev.muster.internal.job.store.ClaimStore;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.runtime.ConnectionSource;
import dev.muster.job.JobInfo.Progress;
import dev.muster.job.JobLog;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The context of a handler that runs under a claim of this node. */
final class RunContext extends AttemptContext {
    private final OpenClaim claim;
    private final ClaimStore store;
    private final ConnectionSource connections;
    private final @Nullable String spanTrace;
    private volatile boolean sawCancellation;

    /** @param spanTrace the traceparent of the attempt's own span; null if there is none */
    RunContext(
            AttemptRules rules,
            OpenClaim claim,
            @Nullable String metadata,
            HandlerAccess access,
            ClaimStore store,
            JobLog log,
            @Nullable String spanTrace) {
        super(rules, claim, metadata, access.node(), access.jobs(), log);
        this.claim = claim;
        this.store = store;
        this.connections = access.connections();
        this.spanTrace = spanTrace;
    }

    @Override
    public Optional<String> trace() {
        return spanTrace == null ? super.trace() : Optional.of(spanTrace);
    }

    @Override
    public Connection connection() throws SQLException {
        return connections.get();
    }

    @Override
    public boolean isCancelled() {
        boolean cancelled = claim.stopReason() != null;
        sawCancellation |= cancelled;
        return cancelled;
    }

    /** Whether the handler has asked whether to stop, and was told to. */
    boolean sawCancellation() {
        return sawCancellation;
    }

    @Override
    protected void keep(Progress progress) {
        claim.progress(progress);
    }

    @Override
    protected boolean isLost() {
        return claim.isLost();
    }

    @Override
    protected boolean complete(Connection connection, Outcome.Completed outcome) throws SQLException {
        // Set before the row is written: from here on no other outcome may wait for the row's lock.
        claim.completingItself();
        boolean held = tryCompleteIn(connection, outcome);
        if (!held) {
            claim.lose();
        }
        return held;
    }

    private boolean tryCompleteIn(Connection connection, Outcome.Completed outcome) throws SQLException {
        try {
            // The progress stays with the claim: if this transaction is rolled back, the next outcome includes it.
            return store.completeIn(
                    connection,
                    new Outcome.Completed(
                            outcome.claim(),
                            outcome.result(),
                            outcome.ran(),
                            claim.unreportedProgress().orElse(null)));
        } catch (SQLException e) {
            if (DatabaseOutages.isNoFaultOfHandlers(e)) {
                // Remembered, because the handler may throw another exception while it cleans up.
                claim.databaseHasFailed();
            }
            throw e;
        }
    }
}
