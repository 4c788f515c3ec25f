package dev.muster.testkit;

import dev.muster.job.Fence;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a handler sees when the test's own thread runs it. Nothing stops it but itself. */
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
        Completion completion)
        implements JobContext {

    /** Where {@code completeIn} goes. */
    @FunctionalInterface
    interface Completion {
        void complete(Connection connection, @Nullable Object result) throws SQLException;
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
