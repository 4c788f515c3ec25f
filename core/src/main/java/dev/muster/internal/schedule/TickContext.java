package dev.muster.internal.schedule;

import dev.muster.internal.runtime.ConnectionSource;
import dev.muster.job.Fence;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobLog;
import dev.muster.job.Jobs;
import dev.muster.job.RetryLater;
import dev.muster.job.Snooze;
import dev.muster.schedule.CronContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A job's context, with its tick read from the job's metadata. */
final class TickContext implements CronContext {
    private final JobContext job;
    private final ConnectionSource connections;
    private final Map<String, String> metadata;

    TickContext(JobContext job, ConnectionSource connections) {
        this.job = job;
        this.connections = connections;
        this.metadata = job.metadata();
    }

    /** A job that was enqueued by its name has no tick; the time in its id is used instead. */
    @Override
    public Instant tick() {
        String tick = metadata.get(CronJobs.TICK);
        return tick != null
                ? Instant.parse(tick)
                : Instant.ofEpochMilli(job.id().value().getMostSignificantBits() >>> 16);
    }

    @Override
    public boolean isCatchUp() {
        return metadata.containsKey(CronJobs.CATCH_UP);
    }

    @Override
    public Duration lateness() {
        return Duration.ofMillis(Long.parseLong(metadata.getOrDefault(CronJobs.LATENESS, "0")));
    }

    @Override
    public boolean isTriggered() {
        return !metadata.containsKey(CronJobs.LATENESS);
    }

    @Override
    public Connection connection() throws SQLException {
        return connections.get();
    }

    @Override
    public JobId id() {
        return job.id();
    }

    @Override
    public String name() {
        return job.name();
    }

    @Override
    public String queue() {
        return job.queue();
    }

    @Override
    public int attempt() {
        return job.attempt();
    }

    @Override
    public int maxAttempts() {
        return job.maxAttempts();
    }

    @Override
    public int crashes() {
        return job.crashes();
    }

    @Override
    public Map<String, String> metadata() {
        return metadata;
    }

    @Override
    public String nodeId() {
        return job.nodeId();
    }

    @Override
    public Fence fence() {
        return job.fence();
    }

    @Override
    public boolean isCancelled() {
        return job.isCancelled();
    }

    @Override
    public Snooze snooze(Duration delay) {
        return job.snooze(delay);
    }

    @Override
    public RetryLater retryIn(Duration delay, String message) {
        return job.retryIn(delay, message);
    }

    @Override
    public Jobs jobs() {
        return job.jobs();
    }

    @Override
    public void progress(int percent, @Nullable String message) {
        job.progress(percent, message);
    }

    @Override
    public JobLog log() {
        return job.log();
    }

    @Override
    public void completeIn(Connection connection, @Nullable Object result) throws SQLException {
        job.completeIn(connection, result);
    }
}
