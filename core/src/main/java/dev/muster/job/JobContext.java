package dev.muster.job;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a handler can ask and use during an attempt. */
public interface JobContext {

    JobId id();

    String name();

    String queue();

    /** The number of this attempt, the first being 1. */
    int attempt();

    int maxAttempts();

    /** How many nodes have died while running this job. */
    int crashes();

    /** What the request and its interceptors attached. */
    Map<String, String> metadata();

    /**
     * The tenant that the job belongs to: its metadata {@code tenant}, which a job has that a caller of that tenant has asked for, and one to
     * which the application has given it. A handler that is open to tenants works for this one alone, whatever its args say. Empty if the job
     * belongs to none.
     */
    default Optional<String> tenant() {
        return Optional.ofNullable(metadata().get("tenant"));
    }

    /**
     * The trace that the job belongs to, as a W3C traceparent; empty if it belongs to none. With a tracer it names the span of this attempt,
     * otherwise the span that enqueued the job. Send it as the header {@code traceparent} where no instrumentation does.
     */
    default Optional<String> trace() {
        return Optional.empty();
    }

    /** The node that runs this attempt. */
    String nodeId();

    /** The fence token of this attempt, for stores of your own: see {@link Fence}. */
    Fence fence();

    /**
     * Whether the handler should stop: the job was cancelled, it timed out, its claim was lost, or the node is stopping. The
     * handler's thread is interrupted at the same time.
     */
    boolean isCancelled();

    /**
     * Lets the job run again later, without counting this attempt. Throw the returned exception: {@code throw
     * ctx.snooze(Duration.ofMinutes(5))}.
     */
    Snooze snooze(Duration delay);

    /** Like {@link #retryIn(Duration, String)}, with a standard message as the job's error. */
    default RetryLater retryIn(Duration delay) {
        return retryIn(delay, "to be tried again in " + delay);
    }

    /**
     * Fails the attempt and sets when the next one is due, instead of the job's backoff: for a service that says when to come
     * back. After the last attempt the job is a dead letter. Throw the returned exception: {@code throw
     * ctx.retryIn(Duration.ofSeconds(30), "429 Too Many Requests")}.
     *
     * @param message stored as the job's error
     */
    default RetryLater retryIn(Duration delay, String message) {
        return new RetryLater(delay, message);
    }

    /**
     * Reports the job's progress. It is written at most once a second, and only while the claim is current.
     *
     * @param percent 0 to 100
     */
    default void progress(int percent) {
        progress(percent, null);
    }

    /** Reports the job's progress with a message about what the job is doing. */
    void progress(int percent, @Nullable String message);

    /**
     * The same as {@code muster.jobs()} of this node. Jobs enqueued here stay enqueued even if this attempt fails: give them a
     * key, or enqueue them with {@code ctx.jobs().in(connection)} and complete with {@link #completeIn} in the same
     * transaction.
     */
    Jobs jobs();

    /** Writes log lines that are stored with the job. */
    JobLog log();

    /**
     * Returns a connection from Muster's pool, in autocommit mode. The caller closes it, best with try. It reaches the database in which
     * {@link #completeIn} and {@code ctx.jobs().in(connection)} write; a handler that holds it for long takes it from the pool.
     *
     * @throws SQLException if the pool has none in time
     */
    Connection connection() throws SQLException;

    /** Like {@link #completeIn(Connection, Object)}, for a job without a result. */
    default void completeIn(Connection connection) throws SQLException {
        completeIn(connection, null);
    }

    /**
     * Writes the job's completion in the caller's own transaction: the caller's writes and the outcome commit together or not at
     * all. Call it once, commit, and return; the handler's return value is then ignored. A rollback fails the attempt.
     *
     * @throws ClaimLost if the claim is no longer current; roll back
     */
    void completeIn(Connection connection, @Nullable Object result) throws SQLException;
}
