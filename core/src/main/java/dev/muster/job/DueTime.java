package dev.muster.job;

import java.time.Duration;
import java.time.Instant;

/** Which due times a job may have. */
public final class DueTime {
    private static final Duration LONGEST_DELAY = Duration.ofDays(36_500);
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59Z");

    private DueTime() {}

    /**
     * A delay that a job may have.
     *
     * @param job whose it is, for the message
     * @throws InvalidJob if it is negative or more than a hundred years
     */
    public static Duration in(Duration delay, String job) {
        if (delay.isNegative()) {
            throw new InvalidJob("delay of " + job + " must not be negative: " + delay);
        }
        if (delay.compareTo(LONGEST_DELAY) > 0) {
            throw new InvalidJob("delay of " + job + " must be at most 100 years: " + delay);
        }
        return delay;
    }

    /**
     * A due time that a job may have: this one, or 1970 if it lies before that.
     *
     * @param job whose it is, for the message
     * @throws InvalidJob if it lies after the year 9999
     */
    public static Instant at(Instant at, String job) {
        if (at.isAfter(LAST)) {
            throw new InvalidJob("due time of " + job + " must be before the year 10000: " + at);
        }
        return at.isBefore(Instant.EPOCH) ? Instant.EPOCH : at;
    }
}
