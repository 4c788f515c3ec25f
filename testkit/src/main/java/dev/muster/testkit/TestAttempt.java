package dev.muster.testkit;

import dev.muster.internal.attempt.Attempt;
import dev.muster.internal.job.JobRetries;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.job.JobHandler;

/** One attempt at a job on the test's own thread. */
record TestAttempt(ClaimedJob job, JobHandler handler, JobRetries retries, long startedAt) implements Attempt {

    static TestAttempt startingNow(ClaimedJob job, JobHandler handler) {
        return new TestAttempt(
                job,
                handler,
                JobRetries.of(handler.retry(), job.maxAttempts(), job.maxCrashes()),
                HandlerRun.CLOCK.nanos());
    }
}
