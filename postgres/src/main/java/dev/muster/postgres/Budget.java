package dev.muster.postgres;

import dev.muster.runtime.Clock;

/**
 * Allows something to take one part in {@code share} of the time, and asks for it every {@code period}, or less
 * often if it costs more than that: while a transaction stays open somewhere, nothing dead is removed, and what has to
 * pass it by takes longer and longer. After {@code longest} it is asked for whatever it costs.
 */
final class Budget {
    private final Clock clock;
    private final long share;
    private final long period;
    private final long longest;
    private long lastEnd;
    private long lastCost;
    private int shares = 1;

    Budget(Clock clock, long share, long period, long longest) {
        this.clock = clock;
        this.share = share;
        this.period = period;
        this.longest = longest;
        this.lastEnd = clock.nanos() - period;
    }

    boolean affordable() {
        return clock.nanos() - lastEnd >= Math.min(lastCost * share, longest) * shares;
    }

    boolean overdue() {
        return clock.nanos() - lastEnd >= Math.max(period, Math.min(lastCost * share, longest) * shares);
    }

    /** So many do this, and may only take that part of the time each. */
    void shareOut(int among) {
        shares = among;
    }

    long sinceEnd() {
        return clock.nanos() - lastEnd;
    }

    long lastCost() {
        return lastCost;
    }

    void spent(long nanos) {
        restart();
        lastCost = nanos;
    }

    /** It is being done, or something that includes it. */
    void restart() {
        lastEnd = clock.nanos();
    }
}
