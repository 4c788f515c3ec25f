package dev.muster.job;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
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

    /**
     * Makes the attempt not count and the job run again later. Throw what it returns:
     * {@code throw ctx.snooze(Duration.ofMinutes(5))}.
     */
    Snooze snooze(Duration delay);

    /** Same as {@link #retryIn(Duration, String)}. */
    default RetryLater retryIn(Duration delay) {
        return retryIn(delay, "to be tried again in " + delay);
    }

    /**
     * Makes the attempt a failure and says when the next one is due, in place of the job's backoff: for a service that says
     * when to come back. After the last attempt the job is a dead letter. Throw what it returns:
     * {@code throw ctx.retryIn(Duration.ofSeconds(30), "429 Too Many Requests")}.
     *
     * @param message kept as the job's error
     */
    default RetryLater retryIn(Duration delay, String message) {
        return new RetryLater(delay, message);
    }

    /**
     * Says how far the job is. Written at most once a second, and only while the claim is current.
     *
     * @param percent 0 to 100
     */
    default void progress(int percent) {
        progress(percent, null);
    }

    /** Same, with a word about what it is doing. */
    void progress(int percent, @Nullable String message);

    /**
     * Enqueues and looks, as {@code muster.jobs()} of this node does. What is enqueued stays enqueued if this attempt fails:
     * give it a key, or enqueue it with {@code ctx.jobs().in(connection)} and complete with {@link #completeIn} in the same
     * transaction.
     */
    Jobs jobs();

    /** Lines kept with the job, for whoever looks at it later. */
    JobLog log();

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
