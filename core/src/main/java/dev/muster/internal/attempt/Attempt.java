package dev.muster.internal.attempt;

import dev.muster.internal.job.JobRetries;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.job.JobHandler;

/** One attempt at a job, as far as {@link AttemptRules} need to know it. */
public interface Attempt {

    /** The job, with the number of this attempt and the claim under which the outcome is written. */
    ClaimedJob job();

    JobHandler handler();

    JobRetries retries();

    /** When the attempt started, in nanoseconds of the clock that the rules use. */
    long startedAt();
}
