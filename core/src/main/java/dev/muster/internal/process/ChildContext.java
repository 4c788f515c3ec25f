package dev.muster.internal.process;

import dev.muster.internal.attempt.AttemptLog;
import dev.muster.job.Fence;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobLog;
import dev.muster.job.Jobs;
import dev.muster.job.Snooze;
import dev.muster.runtime.MusterException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The context of a handler in a child process, which reaches the node through the pipe only. */
final class ChildContext implements JobContext {
    private static final int MAX_MESSAGE = 1_000;

    private final JobMessage job;
    private final @Nullable String pipe;
    private final JobLog log = new AttemptLog() {
        @Override
        protected void keep(String level, String line) {
            send(new JobMessage().with("log", line).with("level", level).toString());
        }
    };
    private @Nullable OutputStream out;

    /** @param pipe the path of the pipe for progress and log lines */
    ChildContext(JobMessage job, @Nullable String pipe) {
        this.job = job;
        this.pipe = pipe;
    }

    @Override
    public JobId id() {
        return job.id();
    }

    @Override
    public String name() {
        return job.text("name");
    }

    @Override
    public String queue() {
        return job.text("queue");
    }

    @Override
    public int attempt() {
        return (int) job.number("attempt");
    }

    @Override
    public int maxAttempts() {
        return (int) job.number("max_attempts");
    }

    @Override
    public int crashes() {
        return (int) job.number("crashes");
    }

    @Override
    public Map<String, String> metadata() {
        return new LinkedHashMap<>(job.texts("metadata"));
    }

    @Override
    public Optional<String> trace() {
        return Optional.ofNullable(job.textOrNull("trace"));
    }

    @Override
    public String nodeId() {
        return job.text("node");
    }

    @Override
    public Fence fence() {
        return job.fence();
    }

    /** Never: a handler that has to stop is killed with its process. */
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
        if (percent < 0 || percent > 100) {
            throw new IllegalArgumentException("progress must be 0 to 100 percent, not " + percent);
        }
        String shown = message == null || message.length() <= MAX_MESSAGE ? message : message.substring(0, MAX_MESSAGE);
        String text = new JobMessage().with("message", shown).toString();
        // A share from 0 to 1, as commands write it.
        send("{\"progress\": " + BigDecimal.valueOf(percent, 2) + ", " + text.substring(1));
    }

    @Override
    public JobLog log() {
        return log;
    }

    private synchronized void send(String line) {
        try {
            if (out == null && pipe != null) {
                out = new FileOutputStream(pipe, true);
            }
            if (out != null) {
                out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new MusterException("the node cannot be told of progress and log lines: " + e.getMessage(), e);
        }
    }

    @Override
    public Jobs jobs() {
        throw missing("jobs()");
    }

    @Override
    public Connection connection() {
        throw missing("connection()");
    }

    @Override
    public void completeIn(Connection connection, @Nullable Object result) {
        throw missing("completeIn");
    }

    private static MusterException missing(String what) {
        return new MusterException(
                what + " does not exist in an executor of kind process: the handler runs in a process of its"
                        + " own, without the node. Route the job to an executor of another kind if it needs it");
    }
}
