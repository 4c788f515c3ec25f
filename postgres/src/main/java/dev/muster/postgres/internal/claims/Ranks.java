package dev.muster.postgres.internal.claims;

import dev.muster.job.Priority;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * The ranks in which jobs of a lane are claimed, highest first: each priority, and right above it the rank of its jobs that were
 * claimed before and handed back.
 */
final class Ranks {
    private static final short[] DESCENDING = descending();
    private static final boolean[] HANDED_BACK = handedBack();

    private Ranks() {}

    private static short[] descending() {
        int[] descending = Arrays.stream(Priority.values())
                .flatMapToInt(p -> IntStream.of(p.level(), p.level() + 1))
                .boxed()
                .sorted(Comparator.reverseOrder())
                .mapToInt(Integer::intValue)
                .toArray();
        short[] ranks = new short[descending.length];
        for (int r = 0; r < ranks.length; r++) {
            ranks[r] = (short) descending[r];
        }
        return ranks;
    }

    private static boolean[] handedBack() {
        boolean[] handedBack = new boolean[DESCENDING.length];
        for (Priority priority : Priority.values()) {
            handedBack[indexOf(priority.level() + 1)] = true;
        }
        return handedBack;
    }

    static int count() {
        return DESCENDING.length;
    }

    /** The rank at this index. */
    static short at(int r) {
        return DESCENDING[r];
    }

    static int indexOf(int rank) {
        for (int r = 0; r < DESCENDING.length; r++) {
            if (DESCENDING[r] == rank) {
                return r;
            }
        }
        throw new IllegalArgumentException("rank " + rank + " is unknown");
    }

    /** Whether the rank at this index is one of jobs that were handed back. */
    static boolean isOfHandedBack(int r) {
        return HANDED_BACK[r];
    }

    /** A value for each rank. */
    static long[] filled(long value) {
        long[] values = new long[DESCENDING.length];
        Arrays.fill(values, value);
        return values;
    }
}
