package dev.muster.postgres.db;

import dev.muster.runtime.Clock;

/**
 * Allows something to take one part in {@code share} of the time, and asks for it every {@code period}, or less
 * often if it costs more than that: while a transaction stays open somewhere, nothing dead is removed, and what has to
 * pass it by takes longer and longer. After {@code longest} it is asked for whatever it costs.
 */
public final class TimeBudget {
    private final Clock clock;
    private final long share;
    private final long period;
    private final long longest;
    private long lastEnd;
    private long lastCost;
    private int shares = 1;

    public TimeBudget(Clock clock, long share, long period, long longest) {
        this.clock = clock;
        this.share = share;
        this.period = period;
        this.longest = longest;
        this.lastEnd = clock.nanos() - period;
    }

    public boolean affordable() {
        return clock.nanos() - lastEnd >= Math.min(lastCost * share, longest) * shares;
    }

    public boolean overdue() {
        return clock.nanos() - lastEnd >= Math.max(period, Math.min(lastCost * share, longest) * shares);
    }

    /** So many do this, and may only take that part of the time each. */
    public void shareOut(int among) {
        shares = among;
    }

    public long sinceEnd() {
        return clock.nanos() - lastEnd;
    }

    public long lastCost() {
        return lastCost;
    }

    public void spent(long nanos) {
        restart();
        lastCost = nanos;
    }

    /** It is being done, or something that includes it. */
    public void restart() {
        lastEnd = clock.nanos();
    }
}
