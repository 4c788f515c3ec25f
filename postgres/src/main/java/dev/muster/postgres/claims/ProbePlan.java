package dev.muster.postgres.claims;

import java.util.List;

/**
 * What one probe asks: the first job from a floor on in each named lane and rank, and which other lanes have jobs. The arrays are
 * parallel.
 *
 * @param whole whether it starts at the beginning instead of the floors
 * @param limited whether it may take so long that it needs a time limit
 * @param walk how many jobs for other nodes it skips in each lane and rank
 * @param numbered whether it draws a transaction number, with which the floors may rise later
 * @param positions the positions of the cursors
 */
public record ProbePlan(
        boolean whole,
        boolean limited,
        int walk,
        boolean numbered,
        int wakes,
        short[] ranks,
        List<String> queues,
        List<String> capabilities,
        long[] floors,
        long[] positions) {}
