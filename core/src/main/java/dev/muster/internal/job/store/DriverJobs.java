package dev.muster.internal.job.store;

import dev.muster.job.InvalidJob;
import dev.muster.job.JobId;
import java.util.Optional;

/**
 * Jobs that drive runs of workflows. What changes other jobs leaves them alone, because their runs would not know. What lists or counts jobs leaves
 * them out unless somebody names them, and a run that did not complete is no failed job. Figures of queues count a run while it is due or executed.
 */
public final class DriverJobs {
    /** How the names of these jobs begin; no other job's name begins like that. */
    public static final String PREFIX = "workflow:";

    private DriverJobs() {}

    public static boolean isDriver(String name) {
        return name.startsWith(PREFIX);
    }

    /** The workflow whose run this job drives; empty if it is no driver. The name of a workflow contains no colon. */
    public static Optional<String> workflowOf(String name) {
        if (!isDriver(name)) {
            return Optional.empty();
        }
        int end = name.indexOf(':', PREFIX.length());
        return Optional.of(name.substring(PREFIX.length(), end < 0 ? name.length() : end));
    }

    /** The refusal of a change. */
    public static InvalidJob refusal(JobId id) {
        return new InvalidJob(
                "job " + id
                        + " drives a run of a workflow, and the run's id is the same; use muster.workflows(), or 'muster workflows'");
    }

    /** @throws InvalidJob if an application's job has the name of a driver */
    public static void refuseName(String name) {
        if (isDriver(name)) {
            throw new InvalidJob("job name '" + name + "' is not allowed: names that begin with '" + PREFIX
                    + "' belong to workflows; start one with muster.workflows(), or 'muster workflows start'");
        }
    }
}
