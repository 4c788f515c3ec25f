package dev.muster.job;

/**
 * Ended jobs of one name and status that a {@link JobQuery} names and that could be retried.
 *
 * @param status failed, cancelled or expired
 * @param jobs how many; those that {@link Jobs#retryAll} leaves alone because of what they depend on are among them
 */
public record RetryableJobs(String name, JobStatus status, long jobs) {
    /** Of all names and statuses together, as many are counted at most: if there are as many, there may be more. */
    public static final int MOST = 100_000;
}
