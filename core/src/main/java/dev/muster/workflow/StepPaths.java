package dev.muster.workflow;

import java.util.Collection;
import java.util.List;

/**
 * The order of steps by their paths. The step 4 comes after the step 3 and after the step 2.0.1, which is in a branch of the parallel call
 * 2; the steps 2.0.1 and 2.1.0 are in different branches of that call, and neither comes after the other.
 */
final class StepPaths {
    private StepPaths() {}

    /** The steps that have failed, and what the code did after them. */
    static List<String> toForget(Collection<String> stored, Collection<String> failed) {
        return stored.stream()
                .filter(path -> failed.stream().anyMatch(one -> path.equals(one) || isAfter(path, one)))
                .toList();
    }

    static boolean isAfter(String path, String other) {
        if (isCompensation(path) || isCompensation(other)) {
            return false;
        }
        String[] here = path.split("\\.");
        String[] there = other.split("\\.");
        for (int i = 0; i < Math.min(here.length, there.length); i++) {
            int difference = Integer.compare(Integer.parseInt(here[i]), Integer.parseInt(there[i]));
            if (difference != 0) {
                boolean numberOfBranch = i % 2 == 1;
                return difference > 0 && !numberOfBranch;
            }
        }
        return false;
    }

    private static boolean isCompensation(String path) {
        return path.startsWith("c.");
    }
}
