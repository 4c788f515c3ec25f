package dev.muster.job;

import java.util.EnumSet;
import java.util.Set;

/**
 * How many ended jobs with one name and status match a {@link JobQuery} and could be retried.
 *
 * @param status failed, cancelled or expired
 * @param jobs how many, including those that {@link Jobs#retryAll} leaves out because of a job they depend on
 */
public record RetryableJobs(String name, JobStatus status, long jobs) {
    /** At most this many jobs are counted over all names and statuses; if the sum reaches it, there may be more. */
    public static final int MOST = 100_000;

    private static final Set<JobStatus> STATUSES = EnumSet.of(JobStatus.FAILED, JobStatus.CANCELLED, JobStatus.EXPIRED);

    /**
     * The jobs that {@link Jobs#retryAll} retries. A query without statuses means failed jobs: jobs that were cancelled on
     * request are retried only if the query names that status.
     *
     * @throws InvalidJob if the query names a status other than failed, cancelled and expired
     */
    public static JobQuery only(JobQuery query) {
        if (query.statuses().isEmpty()) {
            return query.status(JobStatus.FAILED);
        }
        for (JobStatus status : query.statuses()) {
            if (!STATUSES.contains(status)) {
                throw new InvalidJob("only failed, cancelled and expired jobs can be retried; status '" + status.text()
                        + "' is none of these");
            }
        }
        return query;
    }
}
