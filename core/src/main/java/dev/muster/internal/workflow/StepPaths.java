package dev.muster.internal.workflow;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * The order of steps by their paths. The step 4 comes after the step 3 and after the step 2.0.1, which is in a branch of the parallel call
 * 2; the steps 2.0.1 and 2.1.0 are in different branches of that call, and neither comes after the other.
 */
final class StepPaths {
    private StepPaths() {}

    /** The steps that have failed, and what the code did after them. */
    static List<String> toForget(Collection<String> stored, Collection<String> failed) {
        Set<String> ended = Set.copyOf(failed);
        // A run has up to 10,000 of both, so each path is taken apart once.
        List<int[]> positions = failed.stream()
                .filter(path -> !isCompensation(path))
                .map(StepPaths::numbers)
                .toList();
        return stored.stream()
                .filter(path -> ended.contains(path) || !isCompensation(path) && isAfterAny(numbers(path), positions))
                .toList();
    }

    private static boolean isAfterAny(int[] path, List<int[]> others) {
        for (int[] other : others) {
            if (isAfter(path, other)) {
                return true;
            }
        }
        return false;
    }

    private static int[] numbers(String path) {
        return Arrays.stream(path.split("\\.")).mapToInt(Integer::parseInt).toArray();
    }

    static boolean isAfter(String path, String other) {
        return !isCompensation(path) && !isCompensation(other) && isAfter(numbers(path), numbers(other));
    }

    private static boolean isAfter(int[] here, int[] there) {
        for (int i = 0; i < Math.min(here.length, there.length); i++) {
            if (here[i] != there[i]) {
                boolean numberOfBranch = i % 2 == 1;
                return here[i] > there[i] && !numberOfBranch;
            }
        }
        return false;
    }

    private static boolean isCompensation(String path) {
        return path.startsWith("c.");
    }
}
