package dev.muster.internal.job;

import dev.muster.job.InvalidJob;
import java.time.Duration;
import java.time.Instant;

/** Checks the due times of jobs. */
public final class DueTime {
    private static final Duration LONGEST_DELAY = Duration.ofDays(36_500);
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59Z");

    private DueTime() {}

    /**
     * Returns the delay if it is allowed.
     *
     * @param job what the error message calls the job
     * @throws InvalidJob if the delay is negative or more than a hundred years
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
     * Returns the due time, or 1970 if it is before that.
     *
     * @param job what the error message calls the job
     * @throws InvalidJob if it is after the year 9999
     */
    public static Instant at(Instant at, String job) {
        return before(at, "due time of " + job);
    }

    /** The same for another time of a job. */
    public static Instant before(Instant at, String what) {
        if (at.isAfter(LAST)) {
            throw new InvalidJob(what + " must be before the year 10000: " + at);
        }
        return at.isBefore(Instant.EPOCH) ? Instant.EPOCH : at;
    }
}
