package dev.muster.job;

import dev.muster.runtime.MusterException;
import java.util.EnumSet;
import java.util.Set;

/**
 * Ended jobs of one name and status that a {@link JobQuery} names and that could be retried.
 *
 * @param status failed, cancelled or expired
 * @param jobs how many; those that {@link Jobs#retryAll} leaves alone because of what they depend on are among them
 */
public record RetryableJobs(String name, JobStatus status, long jobs) {
    /** Of all names and statuses together, as many are counted at most: if there are as many, there may be more. */
    public static final int MOST = 100_000;

    private static final Set<JobStatus> STATUSES = EnumSet.of(JobStatus.FAILED, JobStatus.CANCELLED, JobStatus.EXPIRED);

    /**
     * What {@link Jobs#retryAll} takes. Who names no status means what has failed: what somebody cancelled is taken only if
     * it is asked for.
     *
     * @throws MusterException if the query names a status other than failed, cancelled and expired
     */
    public static JobQuery only(JobQuery query) {
        if (query.statuses().isEmpty()) {
            return query.status(JobStatus.FAILED);
        }
        for (JobStatus status : query.statuses()) {
            if (!STATUSES.contains(status)) {
                throw new MusterException("only failed, cancelled and expired jobs can be retried; status '"
                        + status.text() + "' is none of these");
            }
        }
        return query;
    }
}
