package dev.muster.postgres.claims;

import java.util.List;

/**
 * Where one look goes, which claims nothing. In each lane and rank it asks for the first job from a floor on, and
 * which lanes have any that are not named. Parallel arrays.
 *
 * @param whole from the beginning, whatever the floors
 * @param limited whether it may take so long that it needs a limit
 * @param walk how many jobs for other nodes it passes by in each lane and rank
 * @param numbered whether it is given the number of a transaction, from which the floors may rise later
 * @param positions where the cursors were
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
