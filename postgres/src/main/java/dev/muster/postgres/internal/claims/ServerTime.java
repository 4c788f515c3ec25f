package dev.muster.postgres.internal.claims;

import java.util.concurrent.TimeUnit;

/**
 * A server's timeline and clock, read between two moments of this node's own clock.
 *
 * @param walTimeline PostgreSQL's own timeline, which changes when another server takes over
 */
public record ServerTime(long walTimeline, long clockMicros, long startNanos, long endNanos) {
    /** The greatest possible distance between the two clocks. */
    long greatestDistance() {
        return clockMicros - TimeUnit.NANOSECONDS.toMicros(startNanos);
    }

    long leastDistance() {
        return clockMicros - TimeUnit.NANOSECONDS.toMicros(endNanos);
    }
}
