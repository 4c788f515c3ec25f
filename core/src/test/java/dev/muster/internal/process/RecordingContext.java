package dev.muster.internal.process;

import dev.muster.job.Fence;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobLog;
import dev.muster.job.Jobs;
import dev.muster.job.Snooze;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The context of one attempt, which keeps what the job reports. */
final class RecordingContext implements JobContext {
    final List<String> progress = new CopyOnWriteArrayList<>();
    final List<String> lines = new CopyOnWriteArrayList<>();

    /** Thrown by the first log line. */
    volatile @Nullable Error failOnce;

    private String name = "ml::train";

    RecordingContext named(String job) {
        name = job;
        return this;
    }

    @Override
    public JobId id() {
        return JobId.of(new UUID(0x7000, 0x8000000000000000L));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String queue() {
        return "default";
    }

    @Override
    public int attempt() {
        return 2;
    }

    @Override
    public int maxAttempts() {
        return 3;
    }

    @Override
    public int crashes() {
        return 1;
    }

    @Override
    public Map<String, String> metadata() {
        return Map.of("tenant", "acme");
    }

    @Override
    public String nodeId() {
        return "node-1";
    }

    @Override
    public Fence fence() {
        return new Fence(4, 17);
    }

    @Override
    public boolean isCancelled() {
        return false;
    }

    @Override
    public Snooze snooze(Duration delay) {
        return new Snooze(delay);
    }

    @Override
    public void progress(int percent, @Nullable String message) {
        progress.add(percent + " " + message);
    }

    @Override
    public Jobs jobs() {
        throw new UnsupportedOperationException();
    }

    @Override
    public JobLog log() {
        return new JobLog() {
            @Override
            public void info(String message) {
                Error failure = failOnce;
                failOnce = null;
                if (failure != null) {
                    throw failure;
                }
                lines.add("info " + message);
            }

            @Override
            public void warn(String message) {
                lines.add("warn " + message);
            }

            @Override
            public void error(String message) {
                lines.add("error " + message);
            }
        };
    }

    @Override
    public Connection connection() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void completeIn(Connection connection, @Nullable Object result) {
        throw new UnsupportedOperationException();
    }
}
