package dev.muster.internal.batch;

import dev.muster.batch.BatchCondition;
import dev.muster.batch.BatchCondition.DecidedBy;
import dev.muster.batch.BatchCondition.SuccessRate;
import dev.muster.batch.BatchInfo;
import dev.muster.batch.BatchQuery;
import dev.muster.batch.BatchRequest;
import dev.muster.batch.BatchStarter;
import dev.muster.batch.Batches;
import dev.muster.internal.batch.BatchStore.Closing;
import dev.muster.internal.batch.BatchStore.NewBatch;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.NewJobTraces.Writing;
import dev.muster.internal.node.HandlerTransactions;
import dev.muster.internal.node.HandlerTransactions.LostCommit;
import dev.muster.internal.node.HandlerTransactions.Transaction;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.runtime.PollingWait;
import dev.muster.job.BatchId;
import dev.muster.job.BulkCancellation;
import dev.muster.job.Enqueuer;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.OutcomeUnknown;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@link Batches} over the port of a store. */
final class DatabaseBatches implements Batches {

    private final NodeContext node;
    private final BatchStore store;

    DatabaseBatches(NodeContext node) {
        this.node = node;
        this.store = node.port(BatchStore.class);
    }

    @Override
    public BatchId create(BatchRequest request) {
        Optional<Connection> joined = node.currentTransaction().current();
        if (joined.isPresent()) {
            return in(joined.get()).create(request);
        }
        try {
            traced(checked(request, null), store::create);
        } catch (OutcomeUnknown e) {
            throw e.creating(request.id());
        }
        return request.id();
    }

    @Override
    public BatchId fanOut(BatchRequest request, Collection<JobRequest> jobs) {
        Optional<Connection> joined = node.currentTransaction().current();
        if (joined.isPresent()) {
            // Jobs join the same transaction by themselves, and wake nodes after it.
            run(request, () -> allOrNothing(joined.get(), () -> addAll(joined.get(), node.jobs(), request, jobs)));
            return request.id();
        }
        try {
            Transaction transaction =
                    node.port(HandlerTransactions.class).begin(Connection.TRANSACTION_READ_COMMITTED, false, null);
            try {
                in(transaction.connection()).fanOut(request, jobs);
            } catch (RuntimeException | Error e) {
                transaction.rollback();
                throw e;
            }
            transaction.commit();
        } catch (LostCommit e) {
            throw new OutcomeUnknown(
                            "the connection broke during the commit: batch '" + request.name()
                                    + "' may or may not have been created: " + e.getMessage(),
                            e)
                    .creating(request.id());
        } catch (SQLException e) {
            throw new DatabaseUnavailable("batch '" + request.name() + "' could not be created: " + e.getMessage(), e);
        }
        store.mayHaveSealed();
        if (jobs.isEmpty()) {
            close();
        }
        return request.id();
    }

    @Override
    public BatchStarter in(Connection connection) {
        return new BatchStarter() {
            @Override
            public BatchId create(BatchRequest request) {
                run(request, () -> traced(checked(request, connection), batch -> store.create(connection, batch)));
                return request.id();
            }

            @Override
            public BatchId fanOut(BatchRequest request, Collection<JobRequest> jobs) {
                run(
                        request,
                        () -> allOrNothing(
                                connection, () -> addAll(connection, node.jobs().in(connection), request, jobs)));
                return request.id();
            }
        };
    }

    /** Creates a batch within the span that a tracer makes of the jobs that it will enqueue itself, if it has such jobs. */
    private <E extends Exception> boolean traced(NewBatch batch, Create<E> create) throws E {
        List<NewJob> jobs = batch.jobs();
        Writing span = jobs.isEmpty() ? null : node.telemetry().traces().publish(jobs);
        if (span == null) {
            return create.create(batch);
        }
        Throwable failure = null;
        try {
            return create.create(batch.withTrace(span.trace()));
        } catch (Throwable e) {
            failure = e;
            throw e;
        } finally {
            span.end(failure);
        }
    }

    @FunctionalInterface
    private interface Create<E extends Exception> {
        boolean create(NewBatch batch) throws E;
    }

    /** A batch that exists and is sealed has its jobs, too: they were written in one transaction. */
    private void addAll(Connection connection, Enqueuer enqueuer, BatchRequest request, Collection<JobRequest> jobs)
            throws SQLException {
        if (!traced(checked(request, connection), batch -> store.create(connection, batch))) {
            if (store.isOpen(connection, request.id())) {
                throw new InvalidJob("batch " + request.id() + " ('" + request.name()
                        + "') was made by create(request) and is not sealed, so fanOut cannot repeat it: add the jobs with"
                        + " JobRequest.batch(id) and call seal(id), or let fanOut have a request of its own");
            }
            return;
        }
        enqueuer.enqueueAll(jobs.stream().map(job -> job.batch(request.id())).toList());
        store.seal(connection, request.id());
    }

    /** If a job is refused and the caller commits all the same, there must not be a batch that waits for its jobs forever. */
    private static void allOrNothing(Connection connection, Write write) throws SQLException {
        Savepoint start = connection.getAutoCommit() ? null : connection.setSavepoint();
        try {
            write.run();
            if (start != null) {
                connection.releaseSavepoint(start);
            }
        } catch (SQLException | RuntimeException e) {
            if (start != null) {
                rollBackTo(start, connection, e);
            }
            throw e;
        }
    }

    private static void rollBackTo(Savepoint start, Connection connection, Exception failure) {
        try {
            connection.rollback(start);
        } catch (SQLException e) {
            // The connection is broken, so nothing of the transaction remains.
            failure.addSuppressed(e);
        }
    }

    @FunctionalInterface
    private interface Write {
        void run() throws SQLException;
    }

    private static void run(BatchRequest request, Write write) {
        try {
            write.run();
        } catch (SQLException e) {
            throw new MusterException(
                    "batch '" + request.name() + "' could not be written in the caller's transaction; roll back: "
                            + e.getMessage(),
                    e);
        }
    }

    private NewBatch checked(BatchRequest request, @Nullable Connection connection) {
        BatchCondition condition = request.condition();
        return new NewBatch(
                request.id(),
                request.name(),
                name(condition),
                condition instanceof SuccessRate success ? success.rate() : null,
                request.onComplete()
                        .map(job -> checked(request, job, connection))
                        .orElse(null),
                condition instanceof DecidedBy decided ? checked(request, decided.job(), connection) : null);
    }

    private static String name(BatchCondition condition) {
        if (condition instanceof BatchCondition.Any) {
            return "any";
        }
        if (condition instanceof SuccessRate) {
            return "success_rate";
        }
        return condition instanceof DecidedBy ? "decided" : "all";
    }

    private NewJob checked(BatchRequest batch, JobRequest job, @Nullable Connection connection) {
        if (job.id().isPresent()
                || job.key().isPresent()
                || job.at().isPresent()
                || job.delay().isPresent()
                || job.expiresAt().isPresent()
                || job.expiresIn().isPresent()
                || !job.dependsOn().isEmpty()
                || !job.dependsOnAnyOutcome().isEmpty()
                || job.batch().isPresent()
                || job.namesGroup()
                || job.trace().isPresent()) {
            throw new InvalidJob(
                    "batch '" + batch.name() + "' enqueues job '" + job.name()
                            + "' itself: it takes args, options, tags and metadata, but no id, time, dependencies, batch, trace or key of any kind");
        }
        return node.check(job, true, connection);
    }

    @Override
    public void seal(BatchId id) {
        Optional<Connection> joined = node.currentTransaction().current();
        if (joined.isPresent()) {
            seal(joined.get(), id);
            return;
        }
        if (!store.seal(id)) {
            throw unknown(id);
        }
        node.coordinator().notifyChange(BatchSubsystem.SEALED);
        close();
    }

    private void seal(Connection connection, BatchId id) {
        try {
            if (!store.seal(connection, id)) {
                throw unknown(id);
            }
        } catch (SQLException e) {
            throw new MusterException("batch " + id + " could not be sealed in this transaction: " + e.getMessage(), e);
        }
    }

    /** Closes the batch if it has nothing to wait for: then no node will end a job of it. */
    private void close() {
        Closing closing = store.closeDue(false);
        if (!closing.lanes().isEmpty()) {
            node.coordinator().notifyNewWork(closing.lanes());
        }
    }

    @Override
    public Optional<BatchInfo> find(BatchId id) {
        return store.find(id, false);
    }

    @Override
    public List<BatchInfo> list(BatchQuery query) {
        return store.list(query);
    }

    @Override
    public BatchInfo await(BatchId id, Duration timeout) {
        return new PollingWait("batch " + id + " to close", timeout, node.clock())
                .until(
                        batch -> batch.status().isClosed(),
                        () -> store.find(id, true).orElseThrow(() -> unknown(id)));
    }

    @Override
    public BulkCancellation cancel(BatchId id) {
        if (!store.cancel(id)) {
            throw unknown(id);
        }
        node.coordinator().notifyChange(BatchSubsystem.SEALED);
        BulkCancellation cancelled = node.jobs().cancelAll(JobQuery.all().batch(id));
        close();
        return cancelled;
    }

    private static MusterException unknown(BatchId id) {
        return new MusterException("there is no batch " + id);
    }
}
