package dev.muster.job;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
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
     * Retries every ended job that the query names, whatever its limit says: failed ones, unless the query names statuses.
     * A job that {@link #retry} would refuse because of what it depends on is left alone, unless that is retried by the same
     * call.
     *
     * @return how many were put back in line
     * @throws dev.muster.runtime.MusterException if the query names a status other than failed, cancelled and expired
     */
    int retryAll(JobQuery query);

    /**
     * Counts what {@link #retryAll} would take, by name and status.
     *
     * @throws dev.muster.runtime.MusterException if the query names a status other than failed, cancelled and expired
     */
    List<RetryableJobs> retryable(JobQuery query);

    /** Lines that the job's handler logged, after a given line (0: from the first), the oldest first. */
    List<LogLine> logs(JobId id, long afterLine, int limit);

    /**
     * Puts a dead letter, or a cancelled or expired job, back in line with a clean slate. One that no node had taken waits
     * again for the jobs it depends on.
     *
     * @return false if there is no such ended job
     * @throws dev.muster.runtime.MusterException if a job it depends on has ended otherwise than completed, or is gone: then
     *     nothing would ever let it run. Retry that one first, or both by {@link #retryWithDependents}
     */
    boolean retry(JobId id);

    /**
     * Retries a job, and with it the jobs that were cancelled because it had not completed, and those cancelled because of
     * them, and so on: they wait for it again. Those that somebody cancelled are left alone, and so are those that depend on
     * another job that has not completed either. If the job itself is live or has completed since, only its dependents are
     * retried.
     *
     * @return how many were put back in line, the job itself included
     * @throws dev.muster.runtime.MusterException if {@link #retry} refuses the job
     */
    int retryWithDependents(JobId id);

    /**
     * Gives a job another due time; one in the past means now. Only a job that no node has taken: one that is pending, also
     * between two attempts, or that waits for others, and then it is due when they have ended and not before this time.
     *
     * @return false if there is no such job, it has ended, or a node has it
     */
    boolean reschedule(JobId id, Instant at);

    /** Same, counted from now by the database's clock; zero means now. */
    boolean reschedule(JobId id, Duration delay);

    /**
     * Gives a job another priority. Only a job that no node has taken, as for {@link #reschedule(JobId, Instant)}. Among the
     * jobs of its new priority that are due it comes last.
     *
     * @return false if there is no such job, it has ended, or a node has it
     */
    boolean reprioritise(JobId id, Priority priority);
}
