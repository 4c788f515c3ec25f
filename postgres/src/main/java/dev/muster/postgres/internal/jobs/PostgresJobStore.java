package dev.muster.postgres.internal.jobs;

import dev.muster.internal.job.store.JobStore;
import dev.muster.internal.job.store.NewJob;
import dev.muster.job.BulkCancellation;
import dev.muster.job.Cancellation;
import dev.muster.job.Enqueued;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.Lane;
import dev.muster.job.Priority;
import dev.muster.job.RetryableJobs;
import dev.muster.postgres.internal.admission.PostgresAdmissionStore;
import dev.muster.postgres.internal.db.Database;
import dev.muster.runtime.Clock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Enqueues, changes, cancels and retries jobs, each in a transaction of its own or in that of the caller. */
public final class PostgresJobStore implements JobStore {
    private final JobWriter writer;
    private final BulkCanceller bulk;
    private final JobRetrier retrier;

    public PostgresJobStore(
            Database database, PostgresDependencyStore dependencies, PostgresAdmissionStore admission, Clock clock) {
        this.writer = new JobWriter(database, dependencies, admission, clock);
        this.bulk = new BulkCanceller(database, dependencies);
        this.retrier = new JobRetrier(database, dependencies, admission, new PlacementLimit(database, clock));
    }

    @Override
    public List<JobId> enqueue(List<NewJob> jobs) {
        return writer.enqueue(jobs);
    }

    @Override
    public List<JobId> enqueue(Connection connection, List<NewJob> jobs) throws SQLException {
        return writer.submit(connection, jobs).stream().map(Enqueued::id).toList();
    }

    @Override
    public List<Enqueued> submit(List<NewJob> jobs) {
        return writer.submit(jobs);
    }

    @Override
    public List<Enqueued> submit(Connection connection, List<NewJob> jobs) throws SQLException {
        return writer.submit(connection, jobs);
    }

    @Override
    public Cancellation cancel(JobId id) {
        return writer.cancel(id);
    }

    @Override
    public Optional<Lane> retry(JobId id) {
        return retrier.retry(id);
    }

    @Override
    public List<Lane> retryDependents(JobId id, @Nullable String tenant) {
        return retrier.retryDependents(id, tenant);
    }

    @Override
    public Optional<Lane> reschedule(JobId id, @Nullable Duration delay, @Nullable Instant at) {
        return writer.reschedule(id, delay, at);
    }

    @Override
    public Optional<Lane> reprioritise(JobId id, Priority priority) {
        return writer.reprioritise(id, priority);
    }

    @Override
    public BulkCancellation cancelAll(JobQuery query, Consumer<Set<Lane>> freed) {
        return bulk.cancelAll(query, freed);
    }

    @Override
    public List<Lane> retryAll(JobQuery query) {
        return retrier.retryAll(query);
    }

    @Override
    public List<RetryableJobs> retryable(JobQuery query) {
        return retrier.retryable(query);
    }
}
