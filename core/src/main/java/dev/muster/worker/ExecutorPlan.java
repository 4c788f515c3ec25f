package dev.muster.worker;

import java.util.Optional;
import java.util.Set;

/**
 * What an executor of a node is to run, and on what.
 *
 * @param size how many jobs it runs at once
 * @param queue how many claimed jobs may wait for a free thread; if empty, the executor decides from how long jobs take
 * @param names the names of its jobs
 */
public record ExecutorPlan(String name, int size, Optional<Integer> queue, Set<String> names) {
    /** The executor of the jobs that no rule sends to another one. */
    public static final String DEFAULT = "default";

    public ExecutorPlan {
        names = Set.copyOf(names);
    }

    boolean isDefault() {
        return name.equals(DEFAULT);
    }

    /** Says whose threads a message is about; nothing for the default executor. */
    String ofExecutor() {
        return isDefault() ? "" : "of executor " + name + " ";
    }
}
