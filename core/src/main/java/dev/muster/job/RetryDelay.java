package dev.muster.job;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A rule of your own for the wait between attempts; see {@link RetryPolicy#withDelays}. Safe for many threads. */
@FunctionalInterface
public interface RetryDelay {

    /**
     * The wait after an attempt that failed. What it throws is logged, and the policy's backoff is taken instead.
     *
     * @param attempt the number of the attempt that failed, the first being 1
     * @param failure what the handler threw
     * @return null: as the policy's backoff says. At most 365 days
     */
    @Nullable
    Duration after(int attempt, Throwable failure);
}
