package dev.muster.postgres.internal.batches;

import dev.muster.batch.BatchInfo;
import dev.muster.batch.BatchQuery;
import dev.muster.batch.BatchStatus;
import dev.muster.cluster.ClusterCoordinator.Topic;
import dev.muster.internal.batch.BatchStore;
import dev.muster.internal.job.store.NewJob;
import dev.muster.job.BatchId;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Query;
import dev.muster.postgres.internal.db.Readers;
import dev.muster.postgres.internal.db.Rows;
import dev.muster.postgres.internal.jobs.EndedJobs;
import dev.muster.postgres.internal.jobs.PlacementLimit;
import dev.muster.postgres.internal.wakeup.PostgresCoordinator;
import dev.muster.runtime.Clock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Creates, seals, cancels and lists batches; {@link BatchCloser} closes them. */
public final class PostgresBatchStore implements BatchStore, EndedJobs {
    private static final Duration LIST_LIMIT = Duration.ofSeconds(10);
    private static final int FORGOTTEN_AT_ONCE = 500;
    private static final Topic TOPIC = new Topic(SEALED);

    private final Database database;
    private final Readers readers;
    private final PostgresCoordinator coordinator;
    private final BatchCloser closer;
    private final PlacementLimit placements;

    /** Whether there may be sealed batches that are not closed; while there are none, the end of jobs costs nothing. */
    private volatile boolean inUse = true;

    private final AtomicLong seals = new AtomicLong();

    private volatile @Nullable Runnable listener;

    public PostgresBatchStore(Database database, Readers readers, PostgresCoordinator coordinator, Clock clock) {
        this.database = database;
        this.readers = readers;
        this.coordinator = coordinator;
        this.closer = new BatchCloser(database, clock);
        this.placements = new PlacementLimit(database, clock);
    }

    @Override
    public boolean create(NewBatch batch) {
        return database.inTransaction(connection -> write(connection, batch));
    }

    @Override
    public boolean create(Connection connection, NewBatch batch) throws SQLException {
        requireInside(connection);
        return write(connection, batch);
    }

    private void requireInside(Connection connection) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new InvalidJob("in(connection) needs an open transaction: call setAutoCommit(false) first");
        }
        database.timeline().requireInside(connection);
    }

    /** Returns false if there is such a batch. */
    private boolean write(Connection connection, NewBatch batch) throws SQLException {
        List<NewJob> jobs = batch.jobs();
        placements.admit(connection, jobs.stream().map(NewJob::lane).collect(Collectors.toSet()));
        int created = database.preparedQuery("batches/create")
                .with(p -> p.uuid(batch.id().value())
                        .text(batch.name())
                        .text(batch.condition())
                        .text(
                                batch.successRate() == null
                                        ? null
                                        : batch.successRate().toString())
                        .uuid(id(batch.completion()))
                        .uuid(id(batch.decider())))
                .update(connection);
        if (created > 0 && !jobs.isEmpty()) {
            keep(connection, batch.id(), jobs);
        }
        return created > 0;
    }

    private static @Nullable UUID id(@Nullable NewJob job) {
        return job == null ? null : job.id().value();
    }

    private void keep(Connection connection, BatchId batch, List<NewJob> jobs) throws SQLException {
        database.preparedQuery("batches/add_job")
                .with(p -> p.uuid(batch.value())
                        .uuids(jobs.stream().map(job -> job.id().value()).toList())
                        .column("text", jobs, NewJob::name)
                        .column("text", jobs, job -> job.lane().queue())
                        .column("text", jobs, job -> job.lane().capability())
                        .column("int2", jobs, job -> job.priority().level())
                        .column("int2", jobs, job -> job.options().maxAttempts())
                        .column("int2", jobs, job -> job.options().maxCrashes())
                        .column("int8", jobs, job -> millis(job.options().timeout()))
                        .column("text", jobs, NewJob::args)
                        .column("text", jobs, NewJob::metadata)
                        .column(
                                "text",
                                jobs,
                                job -> job.tags().isEmpty() ? null : "{" + String.join(",", job.tags()) + "}")
                        .column("text", jobs, NewJob::trace))
                .update(connection);
    }

    private static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null ? null : duration.toMillis();
    }

    @Override
    public boolean isOpen(Connection connection, BatchId id) throws SQLException {
        return database.preparedQuery("batches/is_open")
                .with(p -> p.uuid(id.value()))
                .exists(connection);
    }

    @Override
    public boolean seal(BatchId id) {
        boolean found = database.inTransaction(connection -> seal("batches/seal", connection, id));
        mayHaveSealed();
        return found;
    }

    @Override
    public boolean seal(Connection connection, BatchId id) throws SQLException {
        requireInside(connection);
        boolean found = seal("batches/seal", connection, id);
        coordinator.notifyChange(connection, TOPIC);
        mayHaveSealed();
        return found;
    }

    @Override
    public boolean cancel(BatchId id) {
        boolean found = database.inTransaction(connection -> seal("batches/cancel", connection, id));
        mayHaveSealed();
        return found;
    }

    private boolean seal(String statement, Connection connection, BatchId id) throws SQLException {
        return database.preparedQuery(statement)
                .with(p -> p.uuid(id.value()).uuid(id.value()))
                .exists(connection);
    }

    @Override
    public Optional<BatchInfo> find(BatchId id, boolean current) {
        Query find = database.preparedQuery("batches/find").with(p -> p.uuid(id.value()));
        return current
                ? database.reading(connection -> find.first(connection, row -> BatchRows.read(row, true)))
                : readers.alongIndexes(
                        LIST_LIMIT, connection -> find.first(connection, row -> BatchRows.read(row, true)));
    }

    @Override
    public List<BatchInfo> list(BatchQuery query) {
        List<String> statuses = query.statuses().isEmpty()
                ? null
                : query.statuses().stream().map(BatchStatus::text).toList();
        UUID before = query.before().map(BatchId::value).orElse(null);
        Query list = database.query("batches/list")
                .with(p -> p.texts(statuses)
                        .texts(statuses)
                        .text(query.name().orElse(null))
                        .text(query.name().orElse(null))
                        .uuid(before)
                        .uuid(before)
                        .number(query.limit()));
        return readers.asPlanned(LIST_LIMIT, connection -> list.list(connection, row -> BatchRows.read(row, false)));
    }

    @Override
    public void onEnded(Runnable wanted) {
        this.listener = wanted;
    }

    @Override
    public void mayHaveSealed() {
        seals.incrementAndGet();
        inUse = true;
    }

    @Override
    public void found(boolean sealed) {
        if (sealed) {
            inUse = true;
        }
    }

    @Override
    public Set<Lane> ended(Collection<JobId> jobs, Collection<JobId> rest) {
        if (!inUse) {
            return Set.of();
        }
        Runnable told = listener;
        if (told != null) {
            told.run();
            return Set.of();
        }
        return closeDue(false).lanes();
    }

    /** If it leaves no sealed batch, ended jobs do not matter, unless one was sealed meanwhile. */
    @Override
    public Closing closeDue(boolean thorough) {
        if (!inUse && !thorough) {
            return new Closing(Set.of(), List.of(), List.of(), Optional.empty());
        }
        long before = seals.get();
        Closing closing = closer.closeDue(thorough);
        if (closer.left()) {
            inUse = true;
        } else if (seals.get() == before) {
            inUse = false;
        }
        return closing;
    }

    @Override
    public boolean forget(Connection tx, Duration retain) throws SQLException {
        List<UUID> old = database.query("batches/old")
                .with(p -> p.number(retain.toMillis())
                        .number(FORGOTTEN_AT_ONCE)
                        .number(retain.toMillis())
                        .number(FORGOTTEN_AT_ONCE))
                .list(tx, Rows::id);
        int forgotten = database.query("batches/forget").with(p -> p.uuids(old)).update(tx);
        return forgotten >= FORGOTTEN_AT_ONCE;
    }
}
