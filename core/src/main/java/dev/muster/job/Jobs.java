package dev.muster.job;

import dev.muster.runtime.Writes;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Enqueues, reads, cancels, retries and reschedules jobs. Thread-safe. */
public interface Jobs extends Enqueuer {

    /** Enqueues in the caller's transaction: the jobs exist if and when it commits. */
    @Writes("enqueue jobs")
    Enqueuer in(Connection connection);

    Optional<JobInfo> find(JobId id);

    /**
     * Waits until the job has ended or the timeout is over, and returns the job: check {@link JobInfo#status()}.
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
     * The newest jobs that match the query, up to its limit. There is no index by name, queue or status: among millions of jobs
     * use {@link #search}, which answers in about a second.
     *
     * @throws dev.muster.runtime.MusterException if searching all jobs for a few matches took longer than 10 seconds
     */
    List<JobInfo> list(JobQuery query);

    /**
     * The newest jobs that match the query, up to its limit, or those of them that were found within about a second. In that case
     * the page says how far back it searched, and how to continue. A page also ends after about 16 MB of args, results and errors.
     */
    JobPage search(JobQuery query);

    /**
     * The same within another time.
     *
     * @param patience after which no further part of the table is searched. If it is less than a second, no statement takes longer than 250
     *     ms either
     */
    JobPage search(JobQuery query, Duration patience);

    /**
     * How many jobs of each status match the query; its statuses, its limit and {@link JobQuery#before} are ignored. A bounded number of jobs
     * is looked at, the newest first, so a count may be a lower bound.
     */
    Map<JobStatus, JobCount> counts(JobQuery query);

    /** Cancels a pending job at once, and tells the node of a running job to stop it. */
    @Writes("cancel jobs")
    Cancellation cancel(JobId id);

    /** Cancels every live job that matches the query; its limit is ignored. */
    @Writes("cancel jobs")
    BulkCancellation cancelAll(JobQuery query);

    /**
     * Retries every ended job that matches the query; its limit is ignored. Without statuses in the query, only failed jobs are
     * retried. A job that {@link #retry} would refuse because of a job it depends on is left out, unless the same call retries
     * that job too.
     *
     * @return how many jobs were retried
     * @throws dev.muster.runtime.MusterException if the query names a status other than failed, cancelled and expired
     */
    @Writes("retry jobs")
    int retryAll(JobQuery query);

    /**
     * Counts the jobs that {@link #retryAll} would retry, by name and status.
     *
     * @throws dev.muster.runtime.MusterException if the query names a status other than failed, cancelled and expired
     */
    List<RetryableJobs> retryable(JobQuery query);

    /** The lines that the job's handler logged after the given line, oldest first; 0 starts with the first line. */
    List<LogLine> logs(JobId id, long afterLine, int limit);

    /**
     * The attempts of a job that have ended, oldest first: its last hundred. Those that did not end the job are kept for {@code
     * history.job_log_retain}; the last one of an ended job is kept with it. A claim that was given back before the handler was
     * entered is no attempt. Of the snoozes of a job with the same reason one per hour is kept.
     */
    List<JobAttempt> attempts(JobId id);

    /**
     * Makes a failed, cancelled or expired job pending again, with its attempts and crashes counted from zero. A job that no node
     * had claimed waits again for the jobs it depends on.
     *
     * @return false if no ended job has this id
     * @throws dev.muster.runtime.MusterException if a job it depends on has ended without completing, or is gone from history:
     *     the job could never run. Retry that job first, or both with {@link #retryWithDependents}
     */
    @Writes("retry jobs")
    boolean retry(JobId id);

    /**
     * Retries a job together with the jobs that were cancelled because it had not completed, those cancelled because of them,
     * and so on: they wait for it again. Jobs that were cancelled on request are left out, and so are jobs that also depend on
     * another job that has not completed. If the job itself is live or has completed meanwhile, only its dependents are
     * retried.
     *
     * @return how many jobs were retried, including the job itself
     * @throws dev.muster.runtime.MusterException if {@link #retry} refuses the job
     */
    @Writes("retry jobs")
    int retryWithDependents(JobId id);

    /**
     * Changes the due time of a job; a time in the past means now. This works only for a job that no node has claimed: a pending
     * one, also between two attempts, or one that waits for other jobs, which then runs after they have ended but not before this
     * time.
     *
     * @return false if there is no such job, it has ended, or a node has claimed it
     */
    @Writes("reschedule jobs")
    boolean reschedule(JobId id, Instant at);

    /** Makes a job due this long from now, by the database's clock; see {@link #reschedule(JobId, Instant)}. */
    @Writes("reschedule jobs")
    boolean reschedule(JobId id, Duration delay);

    /**
     * Changes the priority of a job that no node has claimed, as for {@link #reschedule(JobId, Instant)}. Among the due jobs of
     * its new priority it comes last.
     *
     * @return false if there is no such job, it has ended, or a node has claimed it
     */
    @Writes("change the priority of jobs")
    boolean reprioritise(JobId id, Priority priority);
}
