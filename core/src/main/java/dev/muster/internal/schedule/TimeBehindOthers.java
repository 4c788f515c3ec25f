package dev.muster.internal.schedule;

import dev.muster.internal.runtime.Durations;
import java.time.Duration;

/**
 * How long a due tick may have waited for ticks of other crons. A tick that is late only because the scheduler was busy with
 * others was not missed, so this time does not count as lateness. Time in which the database refused to fire anything does count.
 */
final class TimeBehindOthers {
    /** More than one transaction takes: a longer step means that the clock jumped or the process stood still. */
    private static final Duration LONGEST_STEP = Duration.ofSeconds(10);

    /** If more ticks become due than can be fired, the misfire policy has to drop some in the end. */
    private static final Duration LONGEST = Duration.ofMinutes(5);

    private Duration soFar = Duration.ZERO;

    Duration soFar() {
        return soFar;
    }

    /** Adds time that the scheduler spent on other ticks. */
    void add(Duration step) {
        Duration sum = soFar.plus(step.compareTo(LONGEST_STEP) < 0 ? step : LONGEST_STEP);
        soFar = Durations.shorter(sum, LONGEST);
    }

    /** Resets, because nothing is due any more. */
    void end() {
        soFar = Duration.ZERO;
    }
}
