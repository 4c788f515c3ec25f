package dev.muster.job;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A custom rule for the wait between attempts; see {@link BackoffPolicy#withDelays}. A handler that throws {@link RetryLater} says itself how long to
 * wait, and no rule is asked. Must be thread-safe.
 */
@FunctionalInterface
public interface RetryDelay {

    /**
     * The wait after a failed attempt. If this throws, the exception is logged and the policy's backoff is used.
     *
     * @param attempt the number of the attempt that failed, the first being 1
     * @param failure what the handler threw
     * @return the wait, at most 365 days; null for the policy's backoff
     */
    @Nullable
    Duration after(int attempt, Throwable failure);
}
