package dev.muster.schedule;

import java.time.Duration;

/**
 * How long a tick may have stood in line behind ticks of other crons. While the scheduler works through what is due, the
 * last cron's tick is not late because nobody was there, so this time does not count against it. Time in which the
 * database refused to fire anything does count.
 */
final class TimeInLine {
    /** More than one transaction takes: a clock that jumps meanwhile is not work. */
    private static final Duration LONGEST_STEP = Duration.ofSeconds(10);

    /** Where more ticks fall due than can be fired, the misfire policy has to thin them out in the end. */
    private static final Duration LONGEST = Duration.ofMinutes(5);

    private Duration soFar = Duration.ZERO;

    Duration soFar() {
        return soFar;
    }

    /** So much time went into other ticks. */
    void add(Duration step) {
        Duration sum = soFar.plus(step.compareTo(LONGEST_STEP) < 0 ? step : LONGEST_STEP);
        soFar = sum.compareTo(LONGEST) < 0 ? sum : LONGEST;
    }

    /** Nothing is due any more. */
    void end() {
        soFar = Duration.ZERO;
    }
}
