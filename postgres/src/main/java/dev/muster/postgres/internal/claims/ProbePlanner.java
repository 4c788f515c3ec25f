package dev.muster.postgres.internal.claims;

import dev.muster.job.Lane;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Plans a probe: the lanes and ranks that it names, and from where on it looks in each. */
final class ProbePlanner {
    /** A probe names all ranks of all known lanes, or, if there are more lanes than this, only ranks that have had jobs. */
    private static final int MAX_NAMED = 100;

    private ProbePlanner() {}

    /**
     * @param whole whether it looks from the beginning and not from the floors
     * @param limited whether it has a time limit
     * @param walk how many jobs for other nodes it skips in a lane and rank before it stops
     * @param numbered whether it draws a number, because something was claimed since floors were proposed
     * @param wakes the wake-ups that it covers
     */
    static ProbePlan plan(
            boolean whole, boolean limited, int walk, boolean numbered, int wakes, Map<Lane, LaneCursor> cursors) {
        boolean everyRank = cursors.size() <= MAX_NAMED;
        int size = 0;
        for (LaneCursor of : cursors.values()) {
            for (int r = 0; r < Ranks.count(); r++) {
                size += everyRank || of.used[r] ? 1 : 0;
            }
        }
        short[] ranks = new short[size];
        long[] floors = new long[size];
        long[] positions = new long[size];
        List<String> queues = new ArrayList<>(size);
        List<String> capabilities = new ArrayList<>(size);
        int i = 0;
        for (Map.Entry<Lane, LaneCursor> known : cursors.entrySet()) {
            LaneCursor of = known.getValue();
            for (int r = 0; r < Ranks.count(); r++) {
                if (everyRank || of.used[r]) {
                    ranks[i] = Ranks.at(r);
                    floors[i] = whole ? LaneCursor.BEGINNING : of.probeFrom(r);
                    positions[i] = of.position[r];
                    queues.add(known.getKey().queue());
                    capabilities.add(known.getKey().capability());
                    i++;
                }
            }
        }
        return new ProbePlan(whole, limited, walk, numbered, wakes, ranks, queues, capabilities, floors, positions);
    }
}
