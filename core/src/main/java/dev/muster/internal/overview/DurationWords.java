package dev.muster.internal.overview;

import java.time.Duration;

/** Durations as people say them. */
final class DurationWords {
    private DurationWords() {}

    /** {@code 40 seconds}, {@code 1 minute}, {@code 3 hours}, {@code 2 days}. */
    static String of(Duration duration) {
        long seconds = Math.max(1, duration.toSeconds());
        if (seconds < 60) {
            return count(seconds, "second");
        }
        if (seconds < 3_600) {
            return count(seconds / 60, "minute");
        }
        return seconds < 86_400 ? count(seconds / 3_600, "hour") : count(seconds / 86_400, "day");
    }

    private static String count(long number, String unit) {
        return number + " " + unit + (number == 1 ? "" : "s");
    }
}
