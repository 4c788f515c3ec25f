package dev.muster.postgres.internal.db;

import dev.muster.runtime.Clock;

/**
 * Limits a task to one part in {@code share} of the time. The task is due every {@code period}, or less often if it costs more
 * than that: while a transaction stays open somewhere, dead rows are not removed, and a task that walks over them takes longer
 * and longer. After {@code longest} the task is due whatever it costs.
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
        return untilAffordable() <= 0;
    }

    /** Nanoseconds until it is affordable; zero or less if it is now. */
    public long untilAffordable() {
        return Math.min(lastCost * share, longest) * shares - (clock.nanos() - lastEnd);
    }

    public boolean overdue() {
        return clock.nanos() - lastEnd >= Math.max(period, Math.min(lastCost * share, longest) * shares);
    }

    /** This many nodes do the task, and each may take only its part of the time. */
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

    /** The task, or one that includes it, is being done. */
    public void restart() {
        lastEnd = clock.nanos();
    }
}
