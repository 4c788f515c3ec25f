package dev.muster.testkit;

import dev.muster.attempt.Attempt;
import dev.muster.job.JobHandler;
import dev.muster.job.JobRetries;
import dev.muster.job.store.ClaimedJob;

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
