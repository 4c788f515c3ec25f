package dev.muster.attempt;

import dev.muster.job.JobHandler;
import dev.muster.job.JobRetries;
import dev.muster.job.store.ClaimedJob;

/** One attempt at a job, as far as {@link AttemptRules} need to know it. */
public interface Attempt {

    /** The job, with the number of this attempt and the claim under which the outcome is written. */
    ClaimedJob job();

    JobHandler handler();

    JobRetries retries();

    /** When the attempt started, in nanoseconds of the clock that the rules use. */
    long startedAt();
}
