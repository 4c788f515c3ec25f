package dev.muster.postgres.claims;

import java.util.concurrent.TimeUnit;

/**
 * What a server said of itself between two moments of this node's own clock.
 *
 * @param walTimeline PostgreSQL's own, which changes when another server takes over
 */
public record ServerTime(long walTimeline, long clockMicros, long startNanos, long endNanos) {
    /** The distance between the two clocks is not greater. */
    long greatestDistance() {
        return clockMicros - TimeUnit.NANOSECONDS.toMicros(startNanos);
    }

    long leastDistance() {
        return clockMicros - TimeUnit.NANOSECONDS.toMicros(endNanos);
    }
}
