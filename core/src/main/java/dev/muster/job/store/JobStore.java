package dev.muster.job.store;

import dev.muster.job.BulkCancellation;
import dev.muster.job.Cancellation;
import dev.muster.job.DeadLetter;
import dev.muster.job.Enqueued;
import dev.muster.job.ExpiredJob;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobPage;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import dev.muster.job.KeyConflict;
import dev.muster.job.Lane;
import dev.muster.job.LogLine;
import dev.muster.job.Priority;
import dev.muster.job.RetryableJobs;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The port to the database for everything about jobs. Every method is atomic; the database, never the caller, enforces the
 * invariants in the description of {@link dev.muster.job}. Methods without a connection use one of the store's own, and throw
 * {@link dev.muster.runtime.DatabaseUnavailable} if there is none. Methods of the leader, or of a node that stands in for it,
 * take the transaction in which they work.
 */
public interface JobStore {

    /**
     * Adds all jobs or none. A job whose id exists, live or ended, is left as it is, so that a call whose acknowledgement was
     * lost can be repeated.
     *
     * @return for each job its own id, or the id of the job that holds its key
     * @throws KeyConflict if a key is held by a job with other arguments
     */
    List<JobId> enqueue(List<NewJob> jobs);

    /** Adds jobs like {@link #enqueue(List)}, in the caller's transaction. */
    List<JobId> enqueue(Connection connection, List<NewJob> jobs) throws SQLException;

    /** Adds jobs like {@link #enqueue(List)}, and returns which of them were added. */
    List<Enqueued> submit(List<NewJob> jobs);

    /** Adds jobs like {@link #submit(List)}, in the caller's transaction. */
    List<Enqueued> submit(Connection connection, List<NewJob> jobs) throws SQLException;

    /** Opens a session that claims jobs for one node. */
    ClaimSession openClaims(ClaimScope scope);

    /**
     * Commits {@code running} for claims that are about to start or run already. Rows that another transaction has locked are
     * left for the next pass.
     */
    Marked markRunning(Collection<Start> starts);

    /** Args and metadata of a claimed job that were too large to come with its claim; empty if the claim is lost. */
    Optional<Content> content(ClaimRef claim);

    /**
     * Extends leases. Rows that another transaction has locked are left for the next pass.
     *
     * @return which claims are lost, cancelled or skipped
     */
    Renewal renew(Collection<ClaimRef> claims, Duration lease);

    /** Which of these claims were asked to cancel, and which are lost. */
    Renewal inspect(Collection<ClaimRef> claims);

    /**
     * Makes jobs pending again whose lease ran out, and charges a crash to those whose start was recorded.
     *
     * @param atLeast how many claims to take back, if there are that many
     * @param everything whether to search also where no claims should be left
     */
    List<Recovered> recoverExpired(Connection tx, int atLeast, boolean everything) throws SQLException;

    /**
     * Charges a crash to claims whose handler is ending this node's process, and makes the jobs pending again, or ends them after
     * too many crashes. Uses the control connection, as leaving does.
     *
     * @return the claims that this node still held
     */
    List<Recovered> crashed(Collection<Start> claims);

    /**
     * Makes jobs pending again as if they had not been claimed, like {@link Outcome.Released}, but over the control connection:
     * for a node whose pool is exhausted.
     *
     * @return the lanes of the released jobs
     */
    Set<Lane> release(Collection<ClaimRef> claims);

    /**
     * Ends unclaimed jobs that have expired.
     *
     * @param everything whether to search also for jobs that expired before the last search, which may take long
     */
    List<ExpiredJob> expire(Connection tx, int limit, boolean everything) throws SQLException;

    /** Searches all jobs for unclaimed ones that have expired and for waiting ones. May take long. */
    Overdue searchOverdue();

    /** Whether there are jobs to expire, and jobs that wait for others. */
    record Overdue(boolean expired, boolean waiting) {}

    /** Frees or cancels the jobs that wait for these ended jobs, and the jobs that wait for cancelled ones, and so on. */
    Set<Lane> resolveDependents(Collection<JobId> ended);

    /**
     * Like {@link #resolveDependents}, but resolves only some dependents, in one short transaction: hundreds of thousands of jobs
     * may wait for one.
     *
     * @param rest receives the jobs for which this has to be called again
     */
    Set<Lane> resolveSomeDependents(Collection<JobId> ended, Collection<JobId> rest);

    /**
     * Searches waiting jobs, a bounded number per call, for those that should have been freed and were missed because of a late
     * commit.
     *
     * @return the lanes of the freed jobs
     */
    Set<Lane> sweepWaiting(Connection tx) throws SQLException;

    /**
     * Records the progress of running jobs. Rows that another transaction has locked are left for the next report.
     *
     * @return the claims whose progress was recorded
     */
    Set<ClaimRef> progress(Map<ClaimRef, JobInfo.Progress> progress);

    /** Stores lines that handlers logged. */
    void appendLogs(List<NewLogLine> lines);

    /** The log lines of a job after a given line, oldest first. */
    List<LogLine> logs(JobId id, long afterLine, int limit);

    /** Writes a completion in the caller's transaction; false if the claim is lost. */
    boolean completeIn(Connection connection, Outcome.Completed outcome) throws SQLException;

    /** Writes a completion in the caller's transaction, without the handler's run time. */
    default boolean completeIn(Connection connection, ClaimRef claim, @Nullable String result) throws SQLException {
        return completeIn(connection, new Outcome.Completed(claim, result));
    }

    /** Finds out whether a completion written by {@link #completeIn} was committed. */
    CompletionState completionOf(ClaimRef claim);

    /**
     * Whether this process has lost contact with the database at any time since then, or has none now; may send a statement.
     *
     * @param nanos a time of {@link System#nanoTime}
     */
    default boolean lostContactSince(long nanos) {
        return false;
    }

    Optional<JobInfo> find(JobId id);

    /** The jobs that match the query, up to its limit; fails if they cannot be found within 10 seconds. */
    List<JobInfo> list(JobQuery query);

    /** The jobs that match the query and were found within this time. */
    JobPage search(JobQuery query, Duration patience);

    Cancellation cancel(JobId id);

    BulkCancellation cancelAll(JobQuery query);

    /**
     * Retries jobs; see {@link Jobs#retryAll}.
     *
     * @param query names statuses, and only those that can be retried
     * @return the lanes of the retried jobs, one entry for each job
     */
    List<Lane> retryAll(JobQuery query);

    /**
     * Counts the ended jobs that match the query, by name and status. The query names statuses, and only those that can be
     * retried.
     */
    List<RetryableJobs> retryable(JobQuery query);

    /**
     * Retries one job; see {@link Jobs#retry}.
     *
     * @return its lane; empty if no ended job has this id
     */
    Optional<Lane> retry(JobId id);

    /**
     * Retries the jobs that were cancelled because this job, or one of them, had not completed.
     *
     * @return the lanes of the retried jobs, one entry for each job
     */
    List<Lane> retryDependents(JobId id);

    /**
     * Changes the due time of a job that no node has claimed.
     *
     * @param delay counted from now by the database's clock; null if {@code at} is given
     * @param at null if {@code delay} is given
     * @return its lane; empty if there is no such job, it has ended, or a node has claimed it
     */
    Optional<Lane> reschedule(JobId id, @Nullable Duration delay, @Nullable Instant at);

    /** Changes the priority of a job that no node has claimed; returns its lane, or empty like {@link #reschedule}. */
    Optional<Lane> reprioritise(JobId id, Priority priority);

    /** Creates the history partitions of the coming days, if they are missing. */
    void prepareHistory();

    /** Takes back every claim of every node: for the only worker of a cluster. */
    List<Recovered> recoverAll();

    /** The stored args and metadata of a job. */
    record Content(String args, @Nullable String metadata) {}

    /**
     * A log line to be stored.
     *
     * @param agoMillis how long ago it was logged
     */
    record NewLogLine(JobId job, int attempt, String level, String message, long agoMillis) {}

    /**
     * A claim to be marked as running, with the limits of its handler.
     *
     * @param agoMillis how long ago it started; 0 if it is about to start, which it does not if it was asked to cancel
     */
    record Start(ClaimRef claim, int maxAttempts, int maxCrashes, long agoMillis) {}

    /**
     * The claims that are now marked as running, and those that are lost; others were locked, or cancelled before their start.
     */
    record Marked(Set<ClaimRef> running, Set<ClaimRef> lost) {}

    /**
     * The state of a node's claims in the database.
     *
     * @param lost claims that the node no longer holds
     * @param cancelled claims that were asked to cancel
     * @param skipped claims whose rows another transaction has locked: neither renewed nor lost
     */
    record Renewal(Set<ClaimRef> lost, Set<ClaimRef> cancelled, Set<ClaimRef> skipped) {}

    /**
     * A claim that was taken from a node.
     *
     * @param leaseAge how long ago the lease ended; negative if it had not ended
     * @param status the job's status now: pending, or failed after too many crashes
     * @param attempt the attempt that the claim was for
     * @param crashes the job's crashes, including this one if it counts as a crash
     * @param error why the job has ended; null if it has not
     */
    record Recovered(
            JobId id,
            String name,
            Lane lane,
            String node,
            Duration leaseAge,
            boolean crash,
            JobStatus status,
            int attempt,
            int maxAttempts,
            int crashes,
            @Nullable String error) {

        /** The event for listeners, if the job has failed. */
        public DeadLetter asDeadLetter() {
            return new DeadLetter(
                    id,
                    name,
                    lane.queue(),
                    attempt,
                    maxAttempts,
                    crashes,
                    node,
                    String.valueOf(error),
                    Optional.empty());
        }
    }

    /** The state of a completion that was written in a user's transaction. */
    enum CompletionState {
        COMMITTED,
        /** The transaction is still open. */
        OPEN,
        ROLLED_BACK,
        LOST
    }
}
