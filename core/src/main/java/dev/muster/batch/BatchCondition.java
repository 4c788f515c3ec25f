package dev.muster.batch;

import dev.muster.job.JobRequest;
import dev.muster.runtime.MusterException;

/** When a sealed batch closes, and whether it has succeeded. */
public sealed interface BatchCondition {

    /** Closes when all jobs have ended, and has succeeded if all have completed. */
    static BatchCondition all() {
        return new All();
    }

    /** Closes as soon as one job has completed; has failed if all have ended and none has. */
    static BatchCondition any() {
        return new Any();
    }

    /**
     * Closes as soon as this share of its jobs has completed, or so many have ended otherwise that it cannot be reached any more.
     *
     * @param rate above 0, at most 1
     */
    static BatchCondition successRate(double rate) {
        return new SuccessRate(rate);
    }

    /**
     * This job decides. It is enqueued when all jobs of the batch have ended; it belongs to the batch, but is not counted. If it
     * completes, the batch has succeeded; if it ends otherwise, the batch has failed. It reads the counts with {@link BatchSummary#of}. If
     * it adds jobs to the batch, the batch waits for them.
     */
    static BatchCondition decidedBy(JobRequest job) {
        return new DecidedBy(job);
    }

    /** @see #all */
    record All() implements BatchCondition {}

    /** @see #any */
    record Any() implements BatchCondition {}

    /** @see #successRate */
    record SuccessRate(double rate) implements BatchCondition {
        public SuccessRate {
            if (!(rate > 0 && rate <= 1)) {
                throw new MusterException("the success rate of a batch must be above 0 and at most 1, not " + rate);
            }
        }
    }

    /** @see #decidedBy */
    record DecidedBy(JobRequest job) implements BatchCondition {}
}
