package dev.muster.job;

import dev.muster.internal.job.JobRetries;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler to set when its job is tried again. The attempt counts as a failure: after the last one the job is a dead
 * letter. The wait is exactly this delay instead of the job's backoff. {@code retryOn} does not apply; {@code noRetryOn} does.
 * An exception of your own may extend this one. See {@link JobContext#retryIn}; unlike this, {@link Snooze} does not count an
 * attempt.
 */
public class RetryLater extends MusterException {
    private static final long serialVersionUID = 1L;
    private final Duration delay;

    /** @param delay below zero, as for a time that is over, means at once; more than 365 days are taken as 365 */
    public RetryLater(Duration delay, String message) {
        this(delay, message, null);
    }

    /** @param delay below zero, as for a time that is over, means at once; more than 365 days are taken as 365 */
    public RetryLater(Duration delay, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.delay = JobRetries.withinBounds(delay);
    }

    /** The time until the next attempt. */
    public Duration delay() {
        return delay;
    }
}
