package dev.muster.testkit;

import dev.muster.internal.job.engine.DatabaseJobs;
import dev.muster.internal.job.store.WorkSignal;
import dev.muster.internal.node.NodeContext;
import dev.muster.job.BulkCancellation;
import dev.muster.job.Cancellation;
import dev.muster.job.Enqueued;
import dev.muster.job.Enqueuer;
import dev.muster.job.JobAttempt;
import dev.muster.job.JobCount;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobPage;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.JobType;
import dev.muster.job.Jobs;
import dev.muster.job.Lane;
import dev.muster.job.LogLine;
import dev.muster.job.Priority;
import dev.muster.job.RetryableJobs;
import dev.muster.runtime.Clock;
import dev.muster.runtime.MusterException;
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
 * Jobs for unit tests, without a database: enqueuing a job runs it on the caller's thread. Requests are checked as in production;
 * args and results are converted to JSON and back; failures are retried by the handler's policy, without waiting. When {@code
 * enqueue} returns, the job has ended; a failure is not thrown but recorded in the job.
 *
 * <p>What is different from a real cluster:
 *
 * <ul>
 *   <li>Delays are recorded but jobs do not wait for them. Timeouts, expiry and capabilities are not enforced. There are no
 *       interceptors and no listeners.
 *   <li>A snoozed job stays pending; {@code retry} does not apply to it.
 *   <li>A job that a handler enqueues runs after that handler has returned.
 *   <li>A job without a handler stays pending. With no handlers at all this only records what is enqueued.
 *   <li>{@code in(connection)} does not touch the connection: the job runs at once, and a rollback does not undo it.
 *       {@code ctx.completeIn(connection)} takes the result and expects that the handler commits.
 * </ul>
 */
public final class InlineJobs implements Jobs {
    private static final String NO_DATABASE =
            "jobs that run inline have no database; use @MusterTest for what needs a connection";

    private final InlineStore store;
    private final Jobs jobs;

    /** @param handlers objects with methods annotated with {@code @Job}, or {@code JobHandler}s */
    public InlineJobs(Object... handlers) {
        var registry = Handlers.NONE.and(handlers).registry(InlineJobs::noNode);
        this.store = new InlineStore(registry, this);
        this.jobs = new DatabaseJobs(
                new DatabaseJobs.Stores(store, store, store),
                Codec.get(),
                registry,
                connection -> Map.of(),
                new NoSignal(),
                Clock.system());
    }

    private record NoSignal() implements WorkSignal {
        @Override
        public void newWork(Set<Lane> lanes) {
            // Nobody waits for work: it is done.
        }

        @Override
        public void newWork(Connection connection, Set<Lane> lanes) {
            // Nobody waits for work: it is done.
        }
    }

    @Override
    public List<JobId> enqueueAll(Collection<JobRequest> requests) {
        return jobs.enqueueAll(requests);
    }

    @Override
    public List<Enqueued> submitAll(Collection<JobRequest> requests) {
        return jobs.submitAll(requests);
    }

    /** Enqueues without using the connection; see the class description. */
    @Override
    public Enqueuer in(Connection connection) {
        return jobs.in(connection);
    }

    @Override
    public Optional<JobInfo> find(JobId id) {
        return store.find(id);
    }

    /** Returns at once, because all jobs that can run have run. */
    @Override
    public JobInfo await(JobId id, Duration timeout) {
        return find(id).orElseThrow(() -> new MusterException("there is no job " + id));
    }

    @Override
    public <R> @Nullable R result(JobType<?, R> type, JobInfo job) {
        return jobs.result(type, job);
    }

    @Override
    public List<JobInfo> list(JobQuery query) {
        return store.list(query);
    }

    @Override
    public JobPage search(JobQuery query) {
        return jobs.search(query);
    }

    @Override
    public JobPage search(JobQuery query, Duration patience) {
        return jobs.search(query, patience);
    }

    @Override
    public Map<JobStatus, JobCount> counts(JobQuery query) {
        return jobs.counts(query);
    }

    @Override
    public Cancellation cancel(JobId id) {
        return store.cancel(id);
    }

    @Override
    public BulkCancellation cancelAll(JobQuery query) {
        return store.cancelAll(query);
    }

    @Override
    public int retryAll(JobQuery query) {
        return jobs.retryAll(query);
    }

    @Override
    public List<RetryableJobs> retryable(JobQuery query) {
        return jobs.retryable(query);
    }

    /** Runs the jobs again, at once. */
    @Override
    public int retryWithDependents(JobId id) {
        return jobs.retryWithDependents(id);
    }

    @Override
    public boolean reschedule(JobId id, Instant at) {
        return jobs.reschedule(id, at);
    }

    @Override
    public boolean reschedule(JobId id, Duration delay) {
        return jobs.reschedule(id, delay);
    }

    @Override
    public boolean reprioritise(JobId id, Priority priority) {
        return jobs.reprioritise(id, priority);
    }

    @Override
    public List<LogLine> logs(JobId id, long afterLine, int limit) {
        return store.logs(id, afterLine, limit);
    }

    @Override
    public List<JobAttempt> attempts(JobId id) {
        return jobs.attempts(id);
    }

    /** Runs the job again, at once. */
    @Override
    public boolean retry(JobId id) {
        return jobs.retry(id);
    }

    private static NodeContext noNode() {
        throw new MusterException(NO_DATABASE);
    }

    static Connection noConnection() throws SQLException {
        throw new SQLException(NO_DATABASE);
    }
}
