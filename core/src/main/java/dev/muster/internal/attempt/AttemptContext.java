package dev.muster.internal.attempt;

import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.runtime.StorableText;
import dev.muster.job.ClaimLost;
import dev.muster.job.Fence;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo.Progress;
import dev.muster.job.JobLog;
import dev.muster.job.Jobs;
import dev.muster.job.Snooze;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The context that a handler gets. Whoever runs the attempt says where progress and the outcome of {@code completeIn} go. */
public abstract class AttemptContext implements JobContext {
    private static final int MAX_MESSAGE = 1_000;

    private final AttemptRules rules;
    private final Attempt attempt;
    private final @Nullable String metadata;
    private final String nodeId;
    private final Jobs jobs;
    private final JobLog log;
    private volatile boolean completesItself;

    /**
     * @param metadata as it is stored
     * @param jobs through which the handler enqueues
     */
    protected AttemptContext(
            AttemptRules rules, Attempt attempt, @Nullable String metadata, String nodeId, Jobs jobs, JobLog log) {
        this.rules = rules;
        this.attempt = attempt;
        this.metadata = metadata;
        this.nodeId = nodeId;
        this.jobs = jobs;
        this.log = log;
    }

    /** Keeps the handler's last progress. */
    protected abstract void keep(Progress progress);

    /** Whether the claim is known to be lost, so that nothing more may be written about the job. */
    protected abstract boolean isLost();

    /**
     * Writes this outcome in the handler's own transaction.
     *
     * @return false if the claim is lost
     */
    protected abstract boolean complete(Connection connection, Outcome.Completed outcome) throws SQLException;

    /** Whether the handler has put the outcome into its own transaction, so that its end does not decide any more. */
    public final boolean completesItself() {
        return completesItself;
    }

    @Override
    public final JobId id() {
        return attempt.job().id();
    }

    @Override
    public final String name() {
        return attempt.job().name();
    }

    @Override
    public final String queue() {
        return attempt.job().lane().queue();
    }

    @Override
    public final int attempt() {
        return attempt.job().attempt();
    }

    @Override
    public final int maxAttempts() {
        return attempt.retries().maxAttempts();
    }

    @Override
    public final int crashes() {
        return attempt.job().crashes();
    }

    @Override
    public final Map<String, String> metadata() {
        return rules.metadata(metadata);
    }

    @Override
    public Optional<String> trace() {
        return Optional.ofNullable(attempt.job().trace());
    }

    @Override
    public final String nodeId() {
        return nodeId;
    }

    @Override
    public final Fence fence() {
        return new Fence(attempt.job().timeline(), attempt.job().claim().token());
    }

    @Override
    public final Snooze snooze(Duration delay) {
        return new Snooze(delay);
    }

    @Override
    public final void progress(int percent, @Nullable String message) {
        if (percent < 0 || percent > 100) {
            throw new IllegalArgumentException("progress must be 0 to 100 percent, not " + percent);
        }
        String text = message == null ? null : StorableText.of(message);
        keep(new Progress(
                percent,
                Optional.ofNullable(
                        text == null || text.length() <= MAX_MESSAGE ? text : text.substring(0, MAX_MESSAGE))));
    }

    @Override
    public final Jobs jobs() {
        return jobs;
    }

    @Override
    public final JobLog log() {
        return log;
    }

    @Override
    public final void completeIn(Connection connection, @Nullable Object result) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException("completeIn needs an open transaction: call setAutoCommit(false) first");
        }
        if (completesItself) {
            throw new IllegalStateException("completeIn was called before in this attempt; throw to have it run again");
        }
        if (isLost()) {
            throw new ClaimLost(id());
        }
        String stored = rules.storedResult(id(), result);
        // Set before the row is written: even if that fails, the handler's transaction decides.
        completesItself = true;
        if (!complete(connection, new Outcome.Completed(attempt.job().claim(), stored, rules.ran(attempt)))) {
            throw new ClaimLost(id());
        }
    }
}
