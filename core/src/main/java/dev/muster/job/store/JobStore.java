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
 * The port to the database for everything about jobs. Every method is atomic; the guards named in the
 * package description live in the database, never in the caller. Methods without a connection use one
 * of the store's own and throw {@link dev.muster.runtime.DatabaseUnavailable} when there is none. Those that keep the
 * cluster in order take the transaction in which they happen: the leader's, or that of whoever stands in for one.
 */
public interface JobStore {

    /**
     * Adds jobs, all or none. A job whose id exists, live or ended, is left alone, so a call whose
     * acknowledgement was lost can be repeated.
     *
     * @return for each job the id that stands for it: its own, or that of the job holding its key
     * @throws KeyConflict if a key is held by a job with other arguments
     */
    List<JobId> enqueue(List<NewJob> jobs);

    /** Same, inside the caller's transaction. */
    List<JobId> enqueue(Connection connection, List<NewJob> jobs) throws SQLException;

    /** Adds jobs as {@link #enqueue(List)} does, and tells which of them were added. */
    List<Enqueued> submit(List<NewJob> jobs);

    /** Same, inside the caller's transaction. */
    List<Enqueued> submit(Connection connection, List<NewJob> jobs) throws SQLException;

    /** Opens the claiming side for one node. */
    ClaimSession openClaims(ClaimScope scope);

    /**
     * Commits {@code running} for claims about to start or running already. A row that someone else
     * has locked is left for the next pass.
     */
    Marked markRunning(Collection<Start> starts);

    /** Args and metadata of a claimed job that were too large to come with its claim; empty if the claim is lost. */
    Optional<Content> content(ClaimRef claim);

    /**
     * Extends leases. A row that someone else has locked is left for the next pass.
     *
     * @return what the node must know about its claims
     */
    Renewal renew(Collection<ClaimRef> claims, Duration lease);

    /** Which of these claims were asked to cancel, and which are lost. */
    Renewal inspect(Collection<ClaimRef> claims);

    /**
     * Puts claims whose lease ran out back in line, charging a crash where the start was written: at least so many, if
     * there are.
     *
     * @param everything also looks where nothing should be left
     */
    List<Recovered> recoverExpired(Connection tx, int atLeast, boolean everything) throws SQLException;

    /**
     * Charges a crash to claims whose handler is ending the process of this node, and puts them back in line, or ends them
     * after too many. Goes over the control connection, as leaving does.
     *
     * @return those that were still this node's
     */
    List<Recovered> crashed(Collection<Start> claims);

    /**
     * Puts claims back in line as if they had not been claimed, as {@link Outcome.Released} does, over the control
     * connection: for a node whose pool is empty.
     *
     * @return lanes with new work
     */
    Set<Lane> release(Collection<ClaimRef> claims);

    /**
     * Ends unclaimed jobs whose time is up.
     *
     * @param everything also looks for those whose time was up before the last look, which may take long
     */
    List<ExpiredJob> expire(Connection tx, int limit, boolean everything) throws SQLException;

    /** Searches everything for unclaimed jobs whose time is up and for jobs that wait. May take long. */
    Overdue searchOverdue();

    /** What there is to do: jobs to expire, jobs that wait for others. */
    record Overdue(boolean expired, boolean waiting) {}

    /** Frees or cancels the jobs that wait for these, which have ended, and so on down the line. */
    Set<Lane> resolveDependents(Collection<JobId> ended);

    /**
     * Same, in one short transaction: a job may have hundreds of thousands that wait for it.
     *
     * @param rest is given the jobs for which it has to be called again
     */
    Set<Lane> resolveSomeDependents(Collection<JobId> ended, Collection<JobId> rest);

    /**
     * Looks through waiting jobs for any that a late commit left behind, a bounded number per call.
     *
     * @return lanes with new work
     */
    Set<Lane> sweepWaiting(Connection tx) throws SQLException;

    /**
     * Records how far running jobs are. A row that someone else has locked is left for the next report.
     *
     * @return the claims for which it is recorded
     */
    Set<ClaimRef> progress(Map<ClaimRef, JobInfo.Progress> progress);

    /** Keeps lines that handlers logged. */
    void appendLogs(List<NewLogLine> lines);

    /** Log lines of a job after a given one, the oldest first. */
    List<LogLine> logs(JobId id, long afterLine, int limit);

    /** Writes a completion into the caller's transaction; false if the claim is lost. */
    boolean completeIn(Connection connection, Outcome.Completed outcome) throws SQLException;

    /** Same, without saying how long the handler took. */
    default boolean completeIn(Connection connection, ClaimRef claim, @Nullable String result) throws SQLException {
        return completeIn(connection, new Outcome.Completed(claim, result));
    }

    /** Finds out what became of a completion written by {@link #completeIn}. */
    CompletionState completionOf(ClaimRef claim);

    /**
     * Whether this process was out of contact with the database at any time since then, or is now; may ask the database.
     *
     * @param nanos a time of {@link System#nanoTime}
     */
    default boolean lostContactSince(long nanos) {
        return false;
    }

    Optional<JobInfo> find(JobId id);

    /** All jobs that the query names, up to its limit; fails if they cannot be found within 10 seconds. */
    List<JobInfo> list(JobQuery query);

    /** Those that were found within this time. */
    JobPage search(JobQuery query, Duration patience);

    Cancellation cancel(JobId id);

    BulkCancellation cancelAll(JobQuery query);

    /**
     * Retries what {@link Jobs#retryAll} says.
     *
     * @param query names statuses, and only such as can be retried
     * @return the lanes of the jobs that were put back in line, one entry for each
     */
    List<Lane> retryAll(JobQuery query);

    /** Counts the ended jobs that the query names, by name and status; it names statuses, and only such as can be retried. */
    List<RetryableJobs> retryable(JobQuery query);

    /**
     * Retries one job; see {@link Jobs#retry}.
     *
     * @return its lane; empty if there is no such ended job
     */
    Optional<Lane> retry(JobId id);

    /**
     * Retries the jobs that were cancelled because this one, or one of them, had not completed.
     *
     * @return the lanes of the jobs that were put back in line, one entry for each
     */
    List<Lane> retryDependents(JobId id);

    /**
     * Gives a job that nobody holds another due time.
     *
     * @param delay counted from now by the database's clock; null: {@code at} counts
     * @param at null: {@code delay} counts
     * @return its lane; empty if there is no such job, it has ended, or a node has it
     */
    Optional<Lane> reschedule(JobId id, @Nullable Duration delay, @Nullable Instant at);

    /** Gives a job that nobody holds another priority; returns its lane, or nothing as {@link #reschedule}. */
    Optional<Lane> reprioritise(JobId id, Priority priority);

    /** Makes sure that history has a place for the coming days. */
    void prepareHistory();

    /** Takes over every claim, whosever it is: for the only worker of a cluster. */
    List<Recovered> recoverAll();

    /** What a handler is given, as it is stored. */
    record Content(String args, @Nullable String metadata) {}

    /**
     * A line to be kept.
     *
     * @param agoMillis how long ago it was logged
     */
    record NewLogLine(JobId job, int attempt, String level, String message, long agoMillis) {}

    /**
     * A claim to be marked as running, with the limits that its handler sets.
     *
     * @param agoMillis how long ago it started; 0: it is about to, and does not if it was asked to cancel
     */
    record Start(ClaimRef claim, int maxAttempts, int maxCrashes, long agoMillis) {}

    /** Claims now shown as running, and claims found to be lost; the others were locked, or cancelled before they started. */
    record Marked(Set<ClaimRef> running, Set<ClaimRef> lost) {}

    /**
     * What the database says about a node's claims.
     *
     * @param lost no longer the node's
     * @param cancelled asked to stop
     * @param skipped locked by someone else just now: neither renewed nor lost
     */
    record Renewal(Set<ClaimRef> lost, Set<ClaimRef> cancelled, Set<ClaimRef> skipped) {}

    /**
     * A claim taken from a node that did not renew it.
     *
     * @param leaseAge how long ago the lease ended
     * @param status what the job is now: pending, or failed after too many crashes
     * @param attempt the attempt that the claim was for
     * @param crashes with this one, if it is one
     * @param error why the job has ended; null: it has not
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

        /** What listeners are told of a job that has failed with this. */
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

    /** Where a completion written into a user's transaction is. */
    enum CompletionState {
        COMMITTED,
        /** The transaction is still open. */
        OPEN,
        ROLLED_BACK,
        LOST
    }
}
