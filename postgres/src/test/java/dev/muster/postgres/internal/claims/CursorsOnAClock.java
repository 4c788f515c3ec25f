package dev.muster.postgres.internal.claims;

import dev.muster.job.Lane;
import dev.muster.job.Priority;
import dev.muster.postgres.internal.claims.ScanPlan.Reach;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Cursors of a node whose clock the test moves, and which see what the test says. */
abstract class CursorsOnAClock {
    static final Lane LANE = new Lane("default", "");
    static final int HIGH = Priority.HIGH.level();
    static final int LOW = Priority.LOW.level();
    static final long SECOND = TimeUnit.SECONDS.toMicros(1);

    /** No transaction is older than any proposal. */
    static final long NONE = Long.MAX_VALUE;

    int claimers = 1;
    long number = 10;
    final AtomicLong nanos = new AtomicLong(TimeUnit.DAYS.toNanos(1));
    final ClaimCursors cursors = new ClaimCursors(nanos::get);

    ProbeResult others(Lane lane) {
        ProbeResult none = seen(1_000 * SECOND, NONE);
        FoundJob first = new FoundJob(lane, HIGH, 900 * SECOND);
        return new ProbeResult(
                none.firsts(),
                List.of(),
                List.of(first),
                none.beyond(),
                none.server(),
                none.claimers(),
                none.running(),
                none.number());
    }

    boolean look(long now, long running, long cost, FoundJob... firsts) {
        return cursors.probed(cursors.planProbe(), seen(now, running, firsts), cost);
    }

    ProbeResult seen(long now, long running, FoundJob... firsts) {
        return new ProbeResult(
                List.of(firsts),
                List.of(),
                List.of(),
                OptionalLong.empty(),
                new ServerTime(1, now, now * 1_000, now * 1_000),
                claimers,
                running,
                OptionalLong.of(number));
    }

    static FoundJob hit(int rank, long readyMicros) {
        return new FoundJob(LANE, rank, readyMicros);
    }

    /** A scan that found as many jobs as it wanted. */
    void claimed(ScanPlan plan, List<FoundJob> hits, long clock) {
        cursors.claimed(plan, ScanResult.of(plan, hits, hits.size(), hits.size()), clock, true);
    }

    void scan(Reach reach, long clock, FoundJob... hits) {
        claimed(cursors.plan(reach, cursors.wakes()), List.of(hits), clock);
    }

    long start(Lane lane, int rank) {
        ScanPlan plan = cursors.plan(Reach.FORWARD, cursors.wakes());
        for (int i = 0; i < plan.ranks().length; i++) {
            if (plan.ranks()[i] == rank && plan.lane(i).equals(lane)) {
                return plan.starts()[i];
            }
        }
        throw new AssertionError("no rank " + rank + " of " + lane);
    }

    long start(Reach reach, int rank) {
        ScanPlan plan = cursors.plan(reach, cursors.wakes());
        for (int i = 0; i < plan.ranks().length; i++) {
            if (plan.ranks()[i] == rank) {
                return plan.starts()[i];
            }
        }
        throw new AssertionError("no rank " + rank);
    }

    /** A look that saw only jobs for others up to this time. */
    void walk(long now, long micros) {
        ProbeResult none = seen(now, NONE);
        cursors.probed(
                cursors.planProbe(),
                new ProbeResult(
                        List.of(),
                        List.of(hit(HIGH, micros)),
                        List.of(),
                        OptionalLong.empty(),
                        none.server(),
                        none.claimers(),
                        none.running(),
                        none.number()),
                1);
        cursors.wake(Set.of(LANE));
    }
}
