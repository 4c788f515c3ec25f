package dev.muster.workflow;

import dev.muster.job.RetryPolicy;
import java.sql.Connection;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A step of a workflow that is about to run. Each method returns this step.
 *
 * @param <R> the type of its result
 */
public interface Step<R> {

    /** How often and when the step is tried again. By default 3 attempts, as for jobs. */
    Step<R> retry(RetryPolicy policy);

    /** How long an attempt may take; its thread is then interrupted. By default {@code worker.job_timeout}. */
    Step<R> timeout(Duration timeout);

    /** If the step fails, it returns null instead of throwing a {@link StepFailed}. */
    Step<R> optional();

    /**
     * If the run fails or is cancelled after this step, the registered {@link Compensation} of this name is called with these args. They are
     * stored together with the step's result.
     */
    Step<R> compensateWith(String compensation, @Nullable Object args);

    /**
     * Runs the step, or returns its stored result. The effect happens at least once: if the node dies after it and before its result is
     * stored, it is repeated. {@link StepContext#idempotencyKey} is then the same.
     *
     * @throws StepFailed if the last attempt failed
     */
    @Nullable
    R run(Effect<R> effect);

    /**
     * Runs the step in a transaction that also stores its result, so that what it writes through this connection happens exactly once. The
     * effect neither commits nor closes the connection.
     *
     * @throws StepFailed if the last attempt failed
     */
    @Nullable
    R runIn(TransactionalEffect<R> effect);

    /** What a step does. */
    @FunctionalInterface
    interface Effect<R> {
        @Nullable
        R run(StepContext step) throws Exception;
    }

    /** What a step does in a transaction. */
    @FunctionalInterface
    interface TransactionalEffect<R> {
        @Nullable
        R run(Connection connection) throws Exception;
    }
}
