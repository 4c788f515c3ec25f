package dev.muster.postgres.internal.claims;

import dev.muster.postgres.internal.db.TimeBudget;
import dev.muster.runtime.Clock;
import java.util.concurrent.TimeUnit;

/** When to probe and how far back: as often as it costs little, and one probe at a time. Guarded by its {@link ClaimCursors}. */
public final class ProbeSchedule {
    /** With this many shares a probe is made every ten minutes, whatever it costs. */
    private static final int MOST_SHARES = 10;

    private static final long COSTLY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long STRETCH_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long AFTER_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * How long a session that claims from one limited queue waits before it probes without a reason. On an idle node the session of all other
     * queues probes before that, and for this one too.
     */
    private static final long SELDOM_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Clock clock;
    private final long idlePeriod;
    private final TimeBudget all;
    private final TimeBudget whole;
    private boolean wanted = true;
    private boolean underWay;

    /** A reason for a probe came while one was under way, which may not cover it. */
    private boolean wantedMeanwhile;

    /** The last probe did not reach the end, because there are many jobs for other nodes. */
    private boolean unfinished;

    private long notBefore;

    /** @param often whether an idle node probes as often as it costs little, and not once a second */
    ProbeSchedule(Clock clock, boolean often) {
        this.clock = clock;
        this.idlePeriod = often ? 0 : SELDOM_NANOS;
        this.notBefore = clock.nanos();
        this.all = new TimeBudget(clock, 20, TimeUnit.SECONDS.toNanos(10), TimeUnit.SECONDS.toNanos(60));
        this.whole = new TimeBudget(clock, 100, TimeUnit.SECONDS.toNanos(10), TimeUnit.HOURS.toNanos(1));
    }

    /**
     * This many nodes probe for the same jobs. One finding is enough for all, so together they may take as much time as four
     * nodes.
     */
    void sharedBy(int nodes) {
        all.shareOut(Math.max(1, Math.min(nodes / 4, MOST_SHARES)));
    }

    /** There is a reason to probe at once. */
    void want() {
        wanted = true;
        wantedMeanwhile = true;
    }

    boolean isWanted() {
        return wanted;
    }

    /** A probe has covered the reasons that existed when it began. */
    void heeded() {
        wanted = wantedMeanwhile;
    }

    /** @param idle whether the node has nothing else to do */
    boolean due(boolean idle) {
        return mayBegin()
                && (wanted
                        || all.overdue()
                        || (idle && all.affordable() && all.sinceEnd() >= idlePeriod)
                        || walkIsDue());
    }

    private boolean walkIsDue() {
        return unfinished && all.sinceEnd() >= all.lastCost();
    }

    void unfinished(boolean more) {
        unfinished = more;
    }

    /** The time until the next stretch of a probe that did not reach the end; negative if it did. */
    long untilNextStretch() {
        return unfinished ? Math.max(STRETCH_NANOS, all.lastCost() - all.sinceEnd()) : -1;
    }

    boolean affordable() {
        return mayBegin() && all.affordable();
    }

    /** Nanoseconds until a probe is affordable; zero or less if it is now. */
    long untilAffordable() {
        return Math.max(all.untilAffordable(), notBefore - clock.nanos());
    }

    private boolean mayBegin() {
        return !underWay && clock.nanos() - notBefore >= 0;
    }

    boolean underWay() {
        return underWay;
    }

    void begin() {
        underWay = true;
        wantedMeanwhile = false;
    }

    /** Whether the next one starts at the very beginning. */
    boolean wholeIsDue() {
        return whole.overdue();
    }

    /** Whether such a probe may take so long that it needs a limit: its cost is unknown, or the last one took long. */
    boolean needsLimit(boolean fromBeginning) {
        long lastCost = fromBeginning ? whole.lastCost() : all.lastCost();
        return wanted || lastCost == 0 || lastCost > COSTLY_NANOS;
    }

    /** The cost of a probe from the beginning says nothing about the other probes. */
    void ended(boolean fromBeginning, long nanos) {
        underWay = false;
        if (fromBeginning) {
            whole.spent(nanos);
            all.restart();
        } else {
            all.spent(nanos);
        }
    }

    /** A probe failed, so the reason for it still holds. */
    void abandoned() {
        underWay = false;
        wanted = true;
    }

    void failed() {
        notBefore = clock.nanos() + AFTER_FAILURE_NANOS;
    }
}
