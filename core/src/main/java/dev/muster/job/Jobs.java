package dev.muster.job;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Enqueue jobs, look at them, and steer them. Safe for many threads. */
public interface Jobs extends Enqueuer {

    /** Enqueues inside the caller's transaction: the jobs exist if and when it commits. */
    Enqueuer in(Connection connection);

    Optional<JobInfo> find(JobId id);

    /**
     * Waits until the job has ended, and returns it as it is then or when the time is up: look at
     * {@link JobInfo#status()}.
     *
     * @throws dev.muster.runtime.MusterException if there is no such job
     * @throws dev.muster.runtime.WaitInterrupted if the thread is interrupted meanwhile; its interrupt flag stays set
     */
    JobInfo await(JobId id, Duration timeout);

    /**
     * Reads the result of a completed job; null if it has none.
     *
     * @throws UnreadablePayload if it is encrypted with a key that this process lacks
     */
    <R> @Nullable R result(JobType<?, R> type, JobInfo job);

    /**
     * The newest jobs that the query names, up to its limit. No index finds jobs by name, queue or status among millions:
     * see {@link #search} for an answer that comes in about a second.
     *
     * @throws dev.muster.runtime.MusterException if all jobs had to be looked through for those few that match, and that
     *     took longer than 10 seconds
     */
    List<JobInfo> list(JobQuery query);

    /**
     * The newest jobs that the query names, up to its limit, or those of them that were found within about a second: the
     * page then says how far back it looked, and how to go on from there.
     */
    JobPage search(JobQuery query);

    /** Cancels a pending job at once and asks a running one to stop. */
    Cancellation cancel(JobId id);

    /** Cancels every live job that the query names, whatever its limit says. */
    BulkCancellation cancelAll(JobQuery query);

    /**
     * Retries every failed, cancelled or expired job that the query names, whatever its limit says.
     *
     * @return how many
     */
    int retryAll(JobQuery query);

    /** Lines that the job's handler logged, after a given line (0: from the first), the oldest first. */
    List<LogLine> logs(JobId id, long afterLine, int limit);

    /**
     * Puts a dead letter, or a cancelled or expired job, back in line with a clean slate.
     *
     * @return false if there is no such ended job
     */
    boolean retry(JobId id);
}
