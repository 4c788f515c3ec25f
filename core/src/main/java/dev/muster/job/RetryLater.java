package dev.muster.job;

import dev.muster.runtime.MusterException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler to say when its job is to be tried again. The attempt counts as a failure: after the last one the job
 * is a dead letter. The wait is exactly as said, in place of the job's backoff, and {@code retryOn} is not asked; {@code
 * noRetryOn} is. An exception of your own may extend this one. See {@link JobContext#retryIn}; {@link Snooze} does not count.
 */
public class RetryLater extends MusterException {
    private static final long serialVersionUID = 1L;
    private final Duration delay;

    /** @param delay 0 to 365 days */
    public RetryLater(Duration delay, String message) {
        this(delay, message, null);
    }

    /** @param delay 0 to 365 days */
    public RetryLater(Duration delay, String message, @Nullable Throwable cause) {
        super(message, cause);
        if (delay.isNegative() || delay.compareTo(RetryPolicy.MAX_DELAY) > 0) {
            throw new IllegalArgumentException("a retry must be 0 to 365 days away, not " + delay);
        }
        this.delay = delay;
    }

    /** How long until the next attempt. */
    public Duration delay() {
        return delay;
    }
}
