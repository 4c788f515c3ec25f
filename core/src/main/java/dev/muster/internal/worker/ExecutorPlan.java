package dev.muster.internal.worker;

import dev.muster.config.ExecutorConfig.Kind;
import dev.muster.config.ExecutorsConfig;
import dev.muster.job.JobExecutor;
import java.util.Optional;
import java.util.Set;

/**
 * What an executor of a node is to run, and on what.
 *
 * @param size how many jobs it runs at once
 * @param queue how many claimed jobs may wait for a free slot; if empty, the executor decides from how long jobs take
 * @param names the names of its jobs
 * @param custom runs the jobs if the kind is custom
 */
public record ExecutorPlan(
        String name, Kind kind, int size, Optional<Integer> queue, Set<String> names, Optional<JobExecutor> custom) {

    public ExecutorPlan {
        names = Set.copyOf(names);
    }

    boolean isDefault() {
        return name.equals(ExecutorsConfig.DEFAULT);
    }

    /** Says whose threads a message is about; nothing for the default executor. */
    String ofExecutor() {
        return isDefault() ? "" : "of executor " + name + " ";
    }
}
