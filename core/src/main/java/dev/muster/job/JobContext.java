package dev.muster.job;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a handler knows about the attempt it runs. */
public interface JobContext {

    JobId id();

    String name();

    String queue();

    /** The number of this attempt, the first being 1. */
    int attempt();

    int maxAttempts();

    /** How many nodes have died running this job. */
    int crashes();

    /** What the request and its interceptors attached. */
    Map<String, String> metadata();

    /** The node that runs this attempt. */
    String nodeId();

    /** For the user's own stores: see {@link Fence}. */
    Fence fence();

    /**
     * Whether to stop: the job was cancelled, timed out, its claim was lost, or the node is stopping.
     * The handler's thread is interrupted at the same moment.
     */
    boolean isCancelled();

    /** Same as {@link #completeIn(Connection, Object)} without a result. */
    default void completeIn(Connection connection) throws SQLException {
        completeIn(connection, null);
    }

    /**
     * Writes the job's completion into the caller's own transaction: the caller's writes and the
     * outcome commit together or not at all. Call it once, commit, and return; the value the handler
     * returns is then ignored. A rollback makes the attempt a failure.
     *
     * @throws ClaimLost if the claim is no longer current; roll back
     */
    void completeIn(Connection connection, @Nullable Object result) throws SQLException;
}
