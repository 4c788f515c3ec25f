package dev.muster.cli.internal.jobs;

import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.Jobs;

/** Explains why a job could not be changed: only a job that no node has claimed can be. */
final class Unclaimed {
    private Unclaimed() {}

    /** The job as it is now, if it was changed. */
    static JobInfo require(Jobs jobs, JobId id, boolean done, String changed) {
        JobInfo job = jobs.find(id).orElseThrow(() -> CommandFailed.failed("there is no job " + id));
        if (!done) {
            String where = job.status().isTerminal()
                    ? ""
                    : job.node().map(node -> " on node " + node).orElse("");
            throw CommandFailed.failed("job " + id + " is " + job.status().text() + where
                    + "; only a pending or waiting job, which no node has claimed, can be " + changed);
        }
        return job;
    }
}
