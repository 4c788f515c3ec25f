package dev.muster.job;

import dev.muster.runtime.MusterException;
import java.time.Duration;

/** Thrown by a handler to run again later without counting an attempt; see {@link JobContext#snooze}. */
public final class Snooze extends MusterException {
    private static final long serialVersionUID = 1L;
    private final Duration delay;

    public Snooze(Duration delay) {
        super("snoozed for " + delay);
        if (delay.isNegative() || delay.compareTo(Duration.ofDays(365)) > 0) {
            throw new IllegalArgumentException("a snooze must take 0 to 365 days, not " + delay);
        }
        this.delay = delay;
    }

    public Duration delay() {
        return delay;
    }
}
