package dev.muster.runtime;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Lets what a node does every few seconds fall on the same moments, so that it can be asked in one go. Each node has
 * moments of its own: many nodes do not meet.
 */
public final class PollAlignment {
    private final Clock clock;
    private final long every;
    private final long first;

    /** @param every time between two moments */
    public PollAlignment(Duration every, Clock clock) {
        this.clock = clock;
        this.every = Math.max(1, every.toNanos());
        this.first = clock.nanos() - ThreadLocalRandom.current().nextLong(this.every);
    }

    /** This wait, or if it goes past a moment, one that ends on the last moment within it. Never longer. */
    public Duration align(Duration wait) {
        long past = (clock.nanos() + wait.toNanos() - first) % every;
        return past < wait.toNanos() ? wait.minusNanos(past) : wait;
    }
}
