package dev.muster.internal.runtime;

import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Aligns the polls that a node makes every few seconds to common moments, so that one statement can answer several of them.
 * The moments differ from node to node, so that many nodes do not poll at once.
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

    /** Shortens a wait so that it ends at the last common moment within it; returns the wait itself if there is none. */
    public Duration align(Duration wait) {
        long past = (clock.nanos() + wait.toNanos() - first) % every;
        return past < wait.toNanos() ? wait.minusNanos(past) : wait;
    }
}
