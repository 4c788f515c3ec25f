package dev.muster.postgres.internal.claims;

import dev.muster.job.Lane;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * What a committed scan found, and how much it has seen of each lane and rank that its plan names. A scan goes through these in
 * the order of the plan. It ends when it has found as many jobs as it may in all, and leaves a lane and rank when it has found
 * as many as it may there. So one lane may have been cut short while another was seen to its end.
 */
final class ScanResult {
    /** How much a scan has seen of a lane and rank. */
    enum Seen {
        /** Every job that was due, except those that others held. */
        ALL,
        /** What it found there and what lies before that; there may be more behind it. */
        PART,
        /** Nothing: the scan had ended before. */
        NOTHING
    }

    /** Jobs that were found in a lane, by rank. */
    private static final class InLane {
        final long[] last = Ranks.filled(LaneCursor.BEGINNING);
        final int[] count = new int[Ranks.count()];
    }

    private final Seen[] seen;
    private final long[] last;
    private final boolean sawAll;

    private ScanResult(Seen[] seen, long[] last, boolean sawAll) {
        this.seen = seen;
        this.last = last;
        this.sawAll = sawAll;
    }

    /**
     * @param limit how many jobs the scan could find in each lane and rank
     * @param limitInAll how many jobs the scan could find in all
     */
    static ScanResult of(ScanPlan plan, Collection<FoundJob> hits, int limit, int limitInAll) {
        Map<Lane, InLane> byLane = new HashMap<>();
        for (FoundJob hit : hits) {
            InLane in = byLane.computeIfAbsent(hit.lane(), lane -> new InLane());
            int r = Ranks.indexOf(hit.rank());
            in.last[r] = Math.max(in.last[r], hit.readyMicros());
            in.count[r]++;
        }
        int size = plan.ranks().length;
        Seen[] seen = new Seen[size];
        long[] last = new long[size];
        boolean sawAll = true;
        // Backwards: a scan that found enough has seen nothing of the lanes and ranks after its last job, and only a
        // part of
        // that one.
        boolean ended = hits.size() >= limitInAll;
        for (int i = size - 1; i >= 0; i--) {
            InLane in = byLane.get(plan.lane(i));
            int r = Ranks.indexOf(plan.ranks()[i]);
            int count = in == null ? 0 : in.count[r];
            last[i] = in == null ? LaneCursor.BEGINNING : in.last[r];
            if (ended && count == 0) {
                seen[i] = Seen.NOTHING;
            } else {
                seen[i] = ended || count >= limit ? Seen.PART : Seen.ALL;
                ended = false;
            }
            sawAll &= seen[i] == Seen.ALL;
        }
        return new ScanResult(seen, last, sawAll);
    }

    /** How much was seen of the lane and rank at this position of the plan. */
    Seen seen(int i) {
        return seen[i];
    }

    /** Whether a job was found in the lane and rank at this position of the plan. */
    boolean found(int i) {
        return last[i] != LaneCursor.BEGINNING;
    }

    /** When the last job became ready that was found in the lane and rank at this position of the plan. */
    long last(int i) {
        return last[i];
    }

    /** Whether every job was seen that was due anywhere in the plan. */
    boolean sawAll() {
        return sawAll;
    }
}
