package dev.muster.postgres.internal.jobs;

import dev.muster.internal.job.store.JobReader;
import dev.muster.internal.job.store.PageText;
import dev.muster.internal.job.store.TenantKey;
import dev.muster.internal.runtime.LargeReads;
import dev.muster.job.BatchId;
import dev.muster.job.JobAttempt;
import dev.muster.job.JobCount;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobInfo.Dependency;
import dev.muster.job.JobInfo.Progress;
import dev.muster.job.JobPage;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.job.LogLine;
import dev.muster.job.Priority;
import dev.muster.job.RetryPolicy;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Query;
import dev.muster.postgres.internal.db.Readers;
import dev.muster.postgres.internal.db.Rows;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads jobs, their attempts and their log lines. */
public final class PostgresJobReader implements JobReader {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final Database database;
    private final Readers readers;
    private final JobSearch search;

    public PostgresJobReader(Database database, Readers readers) {
        this.database = database;
        this.readers = readers;
        this.search = new JobSearch(database, readers);
    }

    @Override
    public Optional<JobInfo> find(JobId id) {
        Query find = database.preparedQuery("jobs/find_in_transaction")
                .with(p -> p.text(Readers.text(LIMIT)).uuid(id.value()).uuid(id.value()));
        return readers.begunByFirst(LIMIT, connection -> {
            Optional<JobInfo> found = find(connection, find, id);
            found.ifPresent(PageText.unlimited()::add);
            return found;
        });
    }

    @Override
    public Optional<JobInfo> current(JobId id) {
        Query find =
                database.preparedQuery("jobs/find").with(p -> p.uuid(id.value()).uuid(id.value()));
        return database.reading(connection -> find(connection, find, id));
    }

    @Override
    public Optional<JobStatus> currentStatus(JobId id) {
        return database.reading(connection -> database.preparedQuery("jobs/current_status")
                .with(p -> p.uuid(id.value()).uuid(id.value()))
                .first(connection, row -> JobStatus.stored(row.getString(1))));
    }

    private Optional<JobInfo> find(Connection connection, Query find, JobId id) throws SQLException {
        return find.first(
                connection,
                row -> read(
                        row,
                        waits(row) ? why(connection, id, row.getBoolean("due")) : Optional.empty(),
                        dependencies(connection, row),
                        Rows.optionalText(row, "trace")));
    }

    @Override
    public List<JobInfo> list(JobQuery query) {
        return search.list(query);
    }

    @Override
    public JobPage search(JobQuery query, Duration patience) {
        return search.search(query, patience);
    }

    @Override
    public Map<JobStatus, JobCount> counts(JobQuery query) {
        return new JobCounts(database, readers, search).count(query);
    }

    @Override
    public Set<JobId> jobsOf(String tenant, Collection<JobId> ids) {
        List<UUID> wanted = ids.stream().map(JobId::value).toList();
        return database.inTransaction(connection -> Set.copyOf(database.preparedQuery("jobs/of_tenant")
                .with(p -> p.uuids(wanted).text(tenant).uuids(wanted).text(tenant))
                .list(connection, row -> new JobId(row.getObject("id", UUID.class)))));
    }

    @Override
    public List<LogLine> logs(JobId id, long afterLine, int limit) {
        Query read = database.query("jobs/read_log")
                .with(p -> p.uuid(id.value()).number(afterLine).number(limit));
        return readers.asPlanned(
                LIMIT,
                connection -> read.list(connection, row -> {
                    LogLine line = line(row);
                    LargeReads.count(line.message().length());
                    return line;
                }));
    }

    @Override
    public List<JobAttempt> attempts(JobId id, int limit) {
        Query read = database.query("jobs/attempts")
                .with(p -> p.uuid(id.value()).number(limit).uuid(id.value()).number(limit));
        List<JobAttempt> oldestFirst = new ArrayList<>(
                readers.alongIndexes(LIMIT, connection -> read.list(connection, PostgresJobReader::attempt)));
        Collections.reverse(oldestFirst);
        return List.copyOf(oldestFirst);
    }

    private static JobAttempt attempt(ResultSet row) throws SQLException {
        return new JobAttempt(
                row.getInt("attempt"),
                Rows.optionalText(row, "node_id"),
                Rows.optionalInstant(row, "started_at"),
                Rows.instant(row, "ended_at"),
                JobAttempt.Outcome.parse(row.getString("outcome")),
                Rows.optionalText(row, "error"));
    }

    private static LogLine line(ResultSet row) throws SQLException {
        return new LogLine(
                row.getLong("line"),
                Rows.instant(row, "at"),
                row.getInt("attempt"),
                row.getString("level"),
                row.getString("message"));
    }

    private static boolean waits(ResultSet job) throws SQLException {
        JobStatus status = JobStatus.stored(job.getString("status"));
        return status == JobStatus.WAITING || status == JobStatus.PENDING;
    }

    /** If it has become due, or is put off, since it was read, the other statement knows. */
    private Optional<String> why(Connection connection, JobId id, boolean due) throws SQLException {
        Query notDue = explanation("jobs/why_not_due", id);
        Query notClaimed = explanation("jobs/why_not_claimed", id);
        Optional<String> why = (due ? notClaimed : notDue).first(connection, row -> row.getString(1));
        return why.isPresent() ? why : (due ? notDue : notClaimed).first(connection, row -> row.getString(1));
    }

    private Query explanation(String statement, JobId id) {
        return database.preparedQuery(statement).with(p -> p.uuid(id.value()));
    }

    private List<Dependency> dependencies(Connection connection, ResultSet job) throws SQLException {
        Array completed = job.getArray("depends_on");
        Array ended = job.getArray("depends_on_any");
        if (completed == null && ended == null) {
            return List.of();
        }
        return database.preparedQuery("jobs/dependencies")
                .with(p -> p.uuids(uuids(completed)).uuids(uuids(ended)))
                .list(
                        connection,
                        row -> new Dependency(
                                new JobId(row.getObject("parent", UUID.class)),
                                Rows.optionalText(row, "status").map(JobStatus::stored),
                                row.getBoolean("any_outcome")));
    }

    private static List<UUID> uuids(@Nullable Array array) throws SQLException {
        return array == null ? List.of() : List.of((UUID[]) array.getArray());
    }

    static JobInfo read(
            ResultSet rows, Optional<String> waitingReason, List<Dependency> dependencies, Optional<String> trace)
            throws SQLException {
        Optional<String> error = Rows.optionalText(rows, "error");
        boolean completed = rows.getString("status").equals(JobStatus.COMPLETED.text());
        long timeout = rows.getLong("timeout_ms");
        int maxAttempts = rows.getInt("max_attempts");
        return new JobInfo(
                new JobId(rows.getObject("id", UUID.class)),
                rows.getString("name"),
                JobStatus.stored(rows.getString("status")),
                rows.getString("queue"),
                Optional.of(rows.getString("capability")).filter(c -> !c.isEmpty()),
                Priority.ofLevel(rows.getInt("priority")),
                liftedTo(rows),
                rows.getInt("attempt"),
                maxAttempts == 0 ? RetryPolicy.DEFAULT_MAX_ATTEMPTS : maxAttempts,
                rows.getInt("crashes"),
                Rows.optionalText(rows, "node_id"),
                rows.getString("args"),
                Rows.optionalText(rows, "result"),
                completed ? Optional.empty() : error,
                completed ? error : Optional.empty(),
                Rows.optionalText(rows, "key").map(TenantKey::shown),
                tags(rows),
                progress(rows),
                metadata(rows),
                Rows.instant(rows, "run_at"),
                Rows.instant(rows, "created_at"),
                Rows.optionalInstant(rows, "started_at"),
                Rows.optionalInstant(rows, "finished_at"),
                waitingReason,
                Rows.optionalInstant(rows, "expires_at"),
                timeout == 0 ? Optional.empty() : Optional.of(Duration.ofMillis(timeout)),
                dependencies,
                Optional.ofNullable(rows.getObject("batch_id", UUID.class)).map(BatchId::new),
                trace);
    }

    /**
     * The rank is the level of the priority by which the job is claimed, or one more; a job that has ended has none, and that of a waiting job
     * may say how it is ordered in its group.
     */
    private static Optional<Priority> liftedTo(ResultSet rows) throws SQLException {
        int priority = rows.getInt("priority");
        int rank = rows.getInt("rank");
        return rank <= priority + 1 || JobStatus.WAITING.text().equals(rows.getString("status"))
                ? Optional.empty()
                : Arrays.stream(Priority.values())
                        .filter(p -> p.level() <= rank)
                        .max(Comparator.naturalOrder());
    }

    private static List<String> tags(ResultSet rows) throws SQLException {
        Array tags = rows.getArray("tags");
        return tags == null ? List.of() : List.of((String[]) tags.getArray());
    }

    private static Map<String, String> metadata(ResultSet rows) throws SQLException {
        // Names and values alternate.
        String[] entries = (String[]) rows.getArray("metadata").getArray();
        Map<String, String> metadata = new LinkedHashMap<>();
        for (int i = 0; i < entries.length; i += 2) {
            metadata.put(entries[i], String.valueOf(entries[i + 1]));
        }
        return Collections.unmodifiableMap(metadata);
    }

    private static Optional<Progress> progress(ResultSet rows) throws SQLException {
        int percent = rows.getInt("progress");
        return rows.wasNull()
                ? Optional.empty()
                : Optional.of(new Progress(percent, Rows.optionalText(rows, "progress_message")));
    }
}
