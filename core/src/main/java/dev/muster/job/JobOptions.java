package dev.muster.job;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where a job runs, how urgent it is, how often it may be tried and how long. Requests, crons and handlers each set some of these options.
 * An option that is null is taken from the first of these that has it: the request or the cron, the handler, {@link #DEFAULTS}.
 *
 * @param capability only nodes with this capability may run the job, or only those that fit this {@link Placement}; empty if any node
 *     may
 * @param maxAttempts how many failures make the job a dead letter
 * @param maxCrashes how many deaths of its node make the job a dead letter; with 0 the handler is entered at most once
 * @param timeout how long one attempt may run
 */
public record JobOptions(
        @Nullable String queue,
        @Nullable String capability,
        @Nullable Priority priority,
        @Nullable Integer maxAttempts,
        @Nullable Integer maxCrashes,
        @Nullable Duration timeout) {

    /** No option is set. */
    public static final JobOptions NONE = new JobOptions(null, null, null, null, null, null);

    /** The options of a job for which nobody set any. The node that runs it supplies the limits. */
    public static final JobOptions DEFAULTS = new JobOptions("default", "", Priority.NORMAL, null, null, null);

    public JobOptions queue(String queue) {
        return new JobOptions(queue, capability, priority, maxAttempts, maxCrashes, timeout);
    }

    public JobOptions capability(String capability) {
        return new JobOptions(queue, capability, priority, maxAttempts, maxCrashes, timeout);
    }

    public JobOptions priority(Priority priority) {
        return new JobOptions(queue, capability, priority, maxAttempts, maxCrashes, timeout);
    }

    public JobOptions maxAttempts(int maxAttempts) {
        return new JobOptions(queue, capability, priority, maxAttempts, maxCrashes, timeout);
    }

    public JobOptions maxCrashes(int maxCrashes) {
        return new JobOptions(queue, capability, priority, maxAttempts, maxCrashes, timeout);
    }

    public JobOptions timeout(Duration timeout) {
        return new JobOptions(queue, capability, priority, maxAttempts, maxCrashes, timeout);
    }

    /**
     * These options, filled up with the others. Where both have a placement, each part that these lack comes from the others': what is
     * required, what is forbidden, the nodes, and the excluded nodes. Options that set only {@code maxAttempts} get the crash limit that
     * belongs to it, not the others' crash limit.
     */
    public JobOptions orElse(JobOptions others) {
        return new JobOptions(
                queue != null ? queue : others.queue,
                placement(capability, others.capability),
                priority != null ? priority : others.priority,
                maxAttempts != null ? maxAttempts : others.maxAttempts,
                maxCrashes != null || maxAttempts != null ? maxCrashes : others.maxCrashes,
                timeout != null ? timeout : others.timeout);
    }

    private static @Nullable String placement(@Nullable String own, @Nullable String other) {
        return own == null || other == null ? own == null ? other : own : Placement.orElse(own, other);
    }

    /** The lane for the queue and the capability; both must be set. */
    public Lane lane() {
        return new Lane(queue, capability);
    }
}
