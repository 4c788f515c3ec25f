package dev.muster.postgres.internal.claims;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

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
        long[] positions) {

    /**
     * One plan that sees all that these plans would see, if it asks for the names of all of them: each lane and rank once, from the lowest
     * floor on.
     */
    static ProbePlan together(List<ProbePlan> plans) {
        Map<RankedLane, Long> lowest = new LinkedHashMap<>();
        for (ProbePlan plan : plans) {
            for (int i = 0; i < plan.ranks.length; i++) {
                lowest.merge(plan.rankedLane(i), plan.floors[i], Math::min);
            }
        }
        int size = lowest.size();
        short[] ranks = new short[size];
        long[] floors = new long[size];
        List<String> queues = new ArrayList<>(size);
        List<String> capabilities = new ArrayList<>(size);
        lowest.forEach((lane, floor) -> {
            int i = queues.size();
            ranks[i] = lane.rank();
            floors[i] = floor;
            queues.add(lane.queue());
            capabilities.add(lane.capability());
        });
        return new ProbePlan(
                plans.stream().anyMatch(ProbePlan::whole),
                plans.stream().anyMatch(ProbePlan::limited),
                plans.stream().mapToInt(ProbePlan::walk).max().orElseThrow(),
                plans.stream().anyMatch(ProbePlan::numbered),
                0,
                ranks,
                queues,
                capabilities,
                floors,
                new long[size]);
    }

    /** A lane and rank that a plan names. */
    private record RankedLane(short rank, String queue, String capability) {}

    private RankedLane rankedLane(int i) {
        return new RankedLane(ranks[i], queues.get(i), capabilities.get(i));
    }

    /** The same without the lanes and ranks that another plan names. */
    ProbePlan without(ProbePlan other) {
        Set<RankedLane> named = IntStream.range(0, other.ranks.length)
                .mapToObj(other::rankedLane)
                .collect(Collectors.toSet());
        int[] left = IntStream.range(0, ranks.length)
                .filter(i -> !named.contains(rankedLane(i)))
                .toArray();
        short[] leftRanks = new short[left.length];
        long[] leftFloors = new long[left.length];
        long[] leftPositions = new long[left.length];
        for (int i = 0; i < left.length; i++) {
            leftRanks[i] = ranks[left[i]];
            leftFloors[i] = floors[left[i]];
            leftPositions[i] = positions[left[i]];
        }
        return new ProbePlan(
                whole,
                limited,
                walk,
                numbered,
                wakes,
                leftRanks,
                Arrays.stream(left).mapToObj(queues::get).toList(),
                Arrays.stream(left).mapToObj(capabilities::get).toList(),
                leftFloors,
                leftPositions);
    }
}
