package dev.muster.postgres.internal.claims;

import dev.muster.job.Lane;
import dev.muster.postgres.internal.claims.ScanPlan.Reach;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntPredicate;

/** Decides which lanes and ranks a scan asks, in which order, and where it starts in each. */
final class ScanPlanner {
    /** How many (lane, rank) pairs one scan asks at most. */
    static final int MAX_ASKED = 100;

    private ScanPlanner() {}

    /** A rank, and the position of its lane in the current turn. */
    private record Asked(int r, int turn) {}

    /**
     * Plans a scan. It asks every rank of the lanes that may have jobs, not only the ranks that a wake-up or a probe has named,
     * because a wake-up may be lost. If there are too many, the named ranks come first, and the others take turns.
     *
     * @param rotation how many scans were planned before, so that lanes and ranks take turns
     */
    static ScanPlan plan(
            Reach reach,
            boolean trustsXmax,
            int wakes,
            int rollbacks,
            Collection<Lane> due,
            int rotation,
            Map<Lane, LaneCursor> cursors) {
        List<Lane> inTurn = DueLanes.inTurn(due, rotation);
        List<Asked> asked = new ArrayList<>();
        boolean partial = false;
        if (inTurn.size() * Ranks.count() <= MAX_ASKED) {
            ask(asked, inTurn, cursors, 0, of -> r -> true);
        } else {
            partial = !ask(asked, inTurn, cursors, 0, of -> r -> of.expected(r));
            ask(asked, inTurn, cursors, (rotation + 1) * MAX_ASKED, of -> r -> !of.expected(r));
        }
        // The sort is stable: within a rank, lanes keep their turn.
        asked.sort(Comparator.comparingInt(Asked::r).thenComparingInt(Asked::turn));
        int size = asked.size();
        short[] ranks = new short[size];
        long[] starts = new long[size];
        List<String> queues = new ArrayList<>(size);
        List<String> capabilities = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            Asked one = asked.get(i);
            Lane lane = inTurn.get(one.turn());
            ranks[i] = Ranks.at(one.r());
            starts[i] = cursors.get(lane).start(one.r(), reach);
            queues.add(lane.queue());
            capabilities.add(lane.capability());
        }
        return new ScanPlan(reach, trustsXmax, partial, wakes, rollbacks, ranks, queues, capabilities, starts);
    }

    /**
     * Adds the chosen ranks from the given position on, highest rank first. Returns false if there were more than one scan may
     * ask.
     */
    private static boolean ask(
            List<Asked> asked,
            List<Lane> inTurn,
            Map<Lane, LaneCursor> cursors,
            int from,
            Function<LaneCursor, IntPredicate> choice) {
        int size = Ranks.count() * inTurn.size();
        for (int i = 0; i < size; i++) {
            int position = Math.floorMod(from + i, size);
            int r = position / inTurn.size();
            int turn = position % inTurn.size();
            if (choice.apply(cursors.get(inTurn.get(turn))).test(r)) {
                if (asked.size() == MAX_ASKED) {
                    return false;
                }
                asked.add(new Asked(r, turn));
            }
        }
        return true;
    }
}
