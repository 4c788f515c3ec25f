package dev.muster.worker;

import dev.muster.job.ClaimLost;
import dev.muster.job.Fence;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo.Progress;
import dev.muster.job.JobLog;
import dev.muster.job.Jobs;
import dev.muster.job.Snooze;
import dev.muster.job.payload.Payloads;
import dev.muster.job.store.ClaimStore;
import dev.muster.job.store.ClaimedJob;
import dev.muster.job.store.Outcome;
import dev.muster.runtime.Clock;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.StorableText;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The context that a handler gets. */
final class RunContext implements JobContext {
    private static final int MAX_MESSAGE = 1_000;

    private final OpenClaim claim;
    private final String nodeId;
    private final ClaimStore store;
    private final JsonCodec json;
    private final Payloads payloads;
    private final Jobs jobs;
    private final JobLog log;
    private final @Nullable String metadata;
    private final Clock clock;
    private volatile boolean sawCancellation;

    RunContext(
            OpenClaim claim,
            @Nullable String metadata,
            String nodeId,
            ClaimStore store,
            JsonCodec json,
            Payloads payloads,
            Jobs jobs,
            JobLog log,
            Clock clock) {
        this.claim = claim;
        this.metadata = metadata;
        this.nodeId = nodeId;
        this.store = store;
        this.json = json;
        this.payloads = payloads;
        this.jobs = jobs;
        this.log = log;
        this.clock = clock;
    }

    private ClaimedJob job() {
        return claim.job();
    }

    @Override
    public JobId id() {
        return job().id();
    }

    @Override
    public String name() {
        return job().name();
    }

    @Override
    public String queue() {
        return job().lane().queue();
    }

    @Override
    public int attempt() {
        return job().attempt();
    }

    @Override
    public int maxAttempts() {
        return claim.retries().maxAttempts();
    }

    @Override
    public int crashes() {
        return job().crashes();
    }

    @Override
    public Map<String, String> metadata() {
        if (metadata == null) {
            return Map.of();
        }
        Map<String, String> read = new HashMap<>();
        if (json.read(metadata, Map.class) instanceof Map<?, ?> values) {
            values.forEach((name, value) -> read.put(String.valueOf(name), String.valueOf(value)));
        }
        return read;
    }

    @Override
    public String nodeId() {
        return nodeId;
    }

    @Override
    public Fence fence() {
        return new Fence(job().timeline(), job().claim().token());
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
    public Snooze snooze(Duration delay) {
        return new Snooze(delay);
    }

    @Override
    public void progress(int percent, @Nullable String message) {
        if (percent < 0 || percent > 100) {
            throw new IllegalArgumentException("progress must be 0 to 100 percent, not " + percent);
        }
        String text = message == null ? null : StorableText.of(message);
        claim.progress(new Progress(
                percent,
                Optional.ofNullable(
                        text == null || text.length() <= MAX_MESSAGE ? text : text.substring(0, MAX_MESSAGE))));
    }

    @Override
    public Jobs jobs() {
        return jobs;
    }

    @Override
    public JobLog log() {
        return log;
    }

    @Override
    public void completeIn(Connection connection, @Nullable Object result) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException("completeIn needs an open transaction: call setAutoCommit(false) first");
        }
        if (claim.completesItself()) {
            throw new IllegalStateException("completeIn was called before in this attempt; throw to have it run again");
        }
        if (claim.isLost()) {
            throw new ClaimLost(id());
        }
        String text = result == null ? null : payloads.seal(id(), Payloads.Kind.RESULT, json.write(result));
        // Set before the row is written: from here on no other outcome may wait for the row's lock.
        claim.completingItself();
        if (!tryCompleteIn(connection, text)) {
            claim.lose();
            throw new ClaimLost(id());
        }
    }

    private boolean tryCompleteIn(Connection connection, @Nullable String result) throws SQLException {
        try {
            // The progress stays with the claim: if this transaction is rolled back, the next outcome includes it.
            return store.completeIn(
                    connection,
                    new Outcome.Completed(
                            job().claim(),
                            result,
                            Duration.ofNanos(clock.nanos() - claim.startedAt()),
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
