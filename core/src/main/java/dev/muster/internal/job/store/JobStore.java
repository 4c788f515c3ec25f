package dev.muster.internal.job.store;

import dev.muster.job.BulkCancellation;
import dev.muster.job.Cancellation;
import dev.muster.job.Enqueued;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.Jobs;
import dev.muster.job.KeyConflict;
import dev.muster.job.Lane;
import dev.muster.job.Priority;
import dev.muster.job.RetryableJobs;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Adds jobs and changes those that no node holds. Every method is atomic; the database, never
 * the caller, enforces the invariants in the description of {@link dev.muster.job}. Methods without a connection use one of the
 * store's own, and throw {@link dev.muster.runtime.DatabaseUnavailable} if there is none.
 */
public interface JobStore {

    /**
     * Adds all jobs or none. A job whose id a job of the same name has, live or ended, is left as it is, so that a call whose
     * acknowledgement was lost can be repeated.
     *
     * @return for each job its own id, or the id of the job that holds its key
     * @throws KeyConflict if a key is held by a job with other arguments
     * @throws dev.muster.job.InvalidJob if a given id is that of a job with another name or of a run, or if a queue would have more than 200 different placements that are expressions
     */
    List<JobId> enqueue(List<NewJob> jobs);

    /** Adds jobs like {@link #enqueue(List)}, in the caller's transaction. */
    List<JobId> enqueue(Connection connection, List<NewJob> jobs) throws SQLException;

    /** Adds jobs like {@link #enqueue(List)}, and returns which of them were added. */
    List<Enqueued> submit(List<NewJob> jobs);

    /** Adds jobs like {@link #submit(List)}, in the caller's transaction. */
    List<Enqueued> submit(Connection connection, List<NewJob> jobs) throws SQLException;

    Cancellation cancel(JobId id);

    /** Cancels jobs like {@link #cancelAll(JobQuery, Consumer)}; nobody is told of the jobs that may run now. */
    default BulkCancellation cancelAll(JobQuery query) {
        return cancelAll(query, lanes -> {});
    }

    /**
     * Cancels the jobs that match, in transactions of a bounded size.
     *
     * @param freed is told the lanes of jobs that waited for the end of a cancelled one and may run now
     */
    BulkCancellation cancelAll(JobQuery query, Consumer<Set<Lane>> freed);

    /**
     * Retries one job; see {@link Jobs#retry}.
     *
     * @return its lane; empty if no ended job has this id
     */
    Optional<Lane> retry(JobId id);

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

    /** Retries the jobs of everybody like {@link #retryDependents(JobId, String)}. */
    default List<Lane> retryDependents(JobId id) {
        return retryDependents(id, null);
    }

    /**
     * Retries the jobs that were cancelled because this job, or one of them, had not completed.
     *
     * @param tenant whose jobs alone are retried; null for those of everybody
     * @return the lanes of the retried jobs, one entry for each job
     */
    List<Lane> retryDependents(JobId id, @Nullable String tenant);

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
}
