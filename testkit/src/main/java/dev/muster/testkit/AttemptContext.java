package dev.muster.testkit;

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

/** The context of a handler that the test's own thread runs. Nothing interrupts such a handler. */
record AttemptContext(
        JobId id,
        String name,
        String queue,
        int attempt,
        int maxAttempts,
        int crashes,
        Map<String, String> metadata,
        String nodeId,
        Fence fence,
        Jobs jobs,
        Notes notes,
        Completion completion)
        implements JobContext {

    /** Receives calls of {@code completeIn}. */
    @FunctionalInterface
    interface Completion {
        void complete(Connection connection, @Nullable Object result) throws SQLException;
    }

    /** Receives progress and log lines. */
    interface Notes {
        void progress(Progress progress);

        void line(String level, String message);
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
        notes.progress(new Progress(percent, Optional.ofNullable(message)));
    }

    @Override
    public JobLog log() {
        return new JobLog() {
            @Override
            public void info(String message) {
                notes.line("info", message);
            }

            @Override
            public void warn(String message) {
                notes.line("warn", message);
            }

            @Override
            public void error(String message) {
                notes.line("error", message);
            }
        };
    }

    @Override
    public boolean isCancelled() {
        return false;
    }

    @Override
    public void completeIn(Connection connection, @Nullable Object result) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException("completeIn needs an open transaction: call setAutoCommit(false) first");
        }
        completion.complete(connection, result);
    }
}
