package dev.muster.internal.job.engine;

import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.runtime.SqlErrors;
import dev.muster.job.Enqueued;
import dev.muster.job.Enqueuer;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.Lane;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Enqueues in a transaction that the caller commits: jobs are written over the caller's own connection, so they exist if the transaction does, and
 * nodes are woken with or after its commit.
 */
final class CallerTransactionEnqueuer implements Enqueuer {
    private final NewJobs newJobs;
    private final Connection connection;
    private final Consumer<Set<Lane>> announce;

    /** @param announce tells nodes of the lanes of new jobs, once they can see them */
    CallerTransactionEnqueuer(NewJobs newJobs, Connection connection, Consumer<Set<Lane>> announce) {
        this.newJobs = newJobs;
        this.connection = connection;
        this.announce = announce;
    }

    @Override
    public List<JobId> enqueueAll(Collection<JobRequest> requests) {
        return add(requests, newJobs::enqueue);
    }

    @Override
    public List<Enqueued> submitAll(Collection<JobRequest> requests) {
        return add(requests, newJobs::submit);
    }

    @FunctionalInterface
    private interface WriteIn<T> {
        List<T> jobs(Connection connection, List<NewJob> jobs) throws SQLException;
    }

    private <T> List<T> add(Collection<JobRequest> requests, WriteIn<T> write) {
        List<NewJob> jobs = newJobs.check(requests, connection);
        if (jobs.isEmpty()) {
            return List.of();
        }
        List<T> added = newJobs.traced(jobs, traced -> write(traced, write));
        announce.accept(NewJobs.lanes(jobs));
        return added;
    }

    private <T> List<T> write(List<NewJob> jobs, WriteIn<T> write) {
        try {
            return write.jobs(connection, jobs);
        } catch (SQLException e) {
            if (SqlErrors.readOnly(e)) {
                throw new MusterException(
                        "jobs cannot be enqueued in a read-only transaction: enqueue in one that may write, or outside of it",
                        e);
            }
            throw new MusterException(
                    "the jobs could not be enqueued in the caller's transaction; roll back: " + e.getMessage(), e);
        }
    }
}
