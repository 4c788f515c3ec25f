package dev.muster.internal.runtime;

import java.time.Duration;

/** Compares durations, and converts those that users choose. */
public final class Durations {
    private static final Duration HUNDRED_YEARS = Duration.ofDays(36_500);

    private Durations() {}

    public static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    public static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    /** This duration, or the end of the range that is nearer to it. */
    public static Duration between(Duration shortest, Duration longest, Duration duration) {
        return longer(shortest, shorter(longest, duration));
    }

    /** In nanoseconds, to be added to a reading of a clock; anything longer than a hundred years counts as a hundred years. */
    public static long nanos(Duration duration) {
        return between(HUNDRED_YEARS.negated(), HUNDRED_YEARS, duration).toNanos();
    }
}
