package dev.muster.postgres.internal.events;

import dev.muster.event.Event.JobEnded;
import dev.muster.event.Event.RunChanged;
import dev.muster.event.Event.WatchedJob;
import dev.muster.event.Position;
import dev.muster.internal.event.EventStore;
import dev.muster.internal.job.store.QueueStore;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.job.QueueInfo;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.Readers;
import dev.muster.postgres.internal.db.Rows;
import dev.muster.workflow.RunStatus;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Reads for the feed of live events in PostgreSQL. */
public final class PostgresEventStore implements EventStore {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    /** An id of version 7 begins with the milliseconds of its time. */
    private static final int BITS_BELOW_MILLIS = 16;

    private final Database database;
    private final Readers readers;
    private final QueueStore queues;

    public PostgresEventStore(Database database, Readers readers, QueueStore queues) {
        this.database = database;
        this.readers = readers;
        this.queues = queues;
    }

    @Override
    public Horizon horizon() {
        return readers.asPlanned(
                LIMIT,
                connection -> database.query("events/horizon")
                        .one(connection, row -> new Horizon(Rows.instant(row, "at"), open(row))));
    }

    private static Optional<Set<Long>> open(ResultSet row) throws SQLException {
        Array numbers = row.getArray("open");
        return numbers == null ? Optional.empty() : Optional.of(Set.of((Long[]) numbers.getArray()));
    }

    @Override
    public Ended ended(Position after, Position upTo, int limit) {
        return readers.alongBlockRanges(LIMIT, connection -> {
            List<JobEnded> jobs = database.query("events/ended")
                    .with(p -> bind(p, after, upTo).number(limit))
                    .list(connection, PostgresEventStore::job);
            if (jobs.size() < limit) {
                return new Ended(jobs, 0, 0);
            }
            long failed = jobs.stream()
                    .filter(job -> job.status() == JobStatus.FAILED)
                    .count();
            return database.query("events/count_ended")
                    .with(p -> bind(p, after, upTo))
                    .one(
                            connection,
                            row -> new Ended(
                                    jobs,
                                    Math.max(0, row.getLong("ended") - jobs.size()),
                                    Math.max(0, row.getLong("failed") - failed)));
        });
    }

    private static Params bind(Params params, Position after, Position upTo) throws SQLException {
        return params.time(time(after.moment()))
                .time(time(upTo.moment()))
                .time(time(after.moment()))
                .uuid(after.id())
                .time(time(upTo.moment()))
                .uuid(upTo.id());
    }

    private static OffsetDateTime time(Instant moment) {
        return moment.atOffset(ZoneOffset.UTC);
    }

    private static JobEnded job(ResultSet row) throws SQLException {
        return new JobEnded(
                JobId.of(Rows.id(row)),
                row.getString("name"),
                row.getString("queue"),
                JobStatus.stored(row.getString("status")),
                row.getInt("attempt"),
                Rows.optionalText(row, "node_id"),
                Rows.instant(row, "finished_at"));
    }

    @Override
    public List<QueueInfo> queues() {
        return queues.list();
    }

    @Override
    public List<WatchedJob> watched(Collection<JobId> ids) {
        return readers.alongIndexes(
                LIMIT,
                connection -> database.query("events/watched")
                        .with(p -> p.number(MOST_LOG_LINES).uuids(values(ids)))
                        .list(connection, PostgresEventStore::watched));
    }

    private static WatchedJob watched(ResultSet row) throws SQLException {
        int progress = row.getInt("progress");
        Optional<Integer> told = row.wasNull() ? Optional.empty() : Optional.of(progress);
        return new WatchedJob(
                JobId.of(Rows.id(row)),
                JobStatus.stored(row.getString("status")),
                row.getInt("attempt"),
                Rows.optionalText(row, "node_id"),
                told,
                row.getInt("log_lines"));
    }

    @Override
    public List<RunChanged> runs(Collection<JobId> ids) {
        return readers.alongIndexes(
                LIMIT,
                connection -> database.query("events/runs")
                        .with(p -> p.uuids(values(ids)))
                        .list(connection, PostgresEventStore::run));
    }

    @Override
    public List<RunChanged> recentRuns(Instant since, int limit) {
        UUID first = new UUID(since.toEpochMilli() << BITS_BELOW_MILLIS, 0);
        return readers.alongIndexes(
                LIMIT,
                connection -> database.query("events/recent_runs")
                        .with(p -> p.uuid(first).number(limit).time(time(since)).number(limit))
                        .list(connection, PostgresEventStore::run));
    }

    private static RunChanged run(ResultSet row) throws SQLException {
        return new RunChanged(
                JobId.of(Rows.id(row)),
                row.getString("workflow_name"),
                RunStatus.stored(row.getString("status")),
                Rows.instant(row, "changed_at"));
    }

    private static List<UUID> values(Collection<JobId> ids) {
        return ids.stream().map(JobId::value).toList();
    }

    @Override
    public Fingerprints fingerprints() {
        return readers.asPlanned(
                LIMIT,
                connection -> database.query("events/fingerprints")
                        .one(
                                connection,
                                row -> new Fingerprints(
                                        String.valueOf(row.getString("nodes")),
                                        String.valueOf(row.getString("leaders")),
                                        String.valueOf(row.getString("crons")))));
    }
}
