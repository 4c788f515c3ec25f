package dev.muster.postgres.jobs;

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
import dev.muster.job.store.JobReader;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.Params;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads jobs for people. */
public final class PostgresJobReader implements JobReader {
    /** Without the result and the time of its end, which live jobs have not. */
    static final String COLUMNS =
            "id, name, status, queue, capability, priority, attempt, max_attempts, crashes, node_id, args, error, key, tags,"
                    + " progress, progress_message, run_at, created_at, started_at, expires_at, timeout_ms";

    private final Database database;
    private final JobSearch search;

    public PostgresJobReader(Database database) {
        this.database = database;
        this.search = new JobSearch(database);
    }

    @Override
    public Optional<JobInfo> find(JobId id) {
        return database.inTransaction(connection -> {
            try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/find"))) {
                new Params(statement).uuid(id.value()).uuid(id.value());
                ResultSet rows = statement.executeQuery();
                return rows.next()
                        ? Optional.of(read(rows, why(connection, id), dependencies(connection, rows)))
                        : Optional.<JobInfo>empty();
            }
        });
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
    public List<LogLine> logs(JobId id, long afterLine, int limit) {
        String sql = "SELECT line, at, attempt, level, message FROM " + database.schema()
                + ".muster_job_logs WHERE job_id = ? AND line > ? ORDER BY line LIMIT ?";
        return database.inRawTransaction(connection -> {
            List<LogLine> lines = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                new Params(statement).uuid(id.value()).number(afterLine).number(limit);
                ResultSet rows = statement.executeQuery();
                while (rows.next()) {
                    lines.add(new LogLine(
                            rows.getLong("line"),
                            rows.getObject("at", OffsetDateTime.class).toInstant(),
                            rows.getInt("attempt"),
                            rows.getString("level"),
                            rows.getString("message")));
                }
            }
            return lines;
        });
    }

    private Optional<String> why(Connection connection, JobId id) throws SQLException {
        try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/why"))) {
            new Params(statement).uuid(id.value());
            ResultSet rows = statement.executeQuery();
            return rows.next() ? Optional.ofNullable(rows.getString(1)) : Optional.empty();
        }
    }

    private List<Dependency> dependencies(Connection connection, ResultSet job) throws SQLException {
        Array completed = job.getArray("depends_on");
        Array ended = job.getArray("depends_on_any");
        if (completed == null && ended == null) {
            return List.of();
        }
        List<Dependency> dependencies = new ArrayList<>();
        try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/dependencies"))) {
            ResultSet rows = new Params(statement)
                    .uuids(uuids(completed))
                    .uuids(uuids(ended))
                    .query();
            while (rows.next()) {
                dependencies.add(new Dependency(
                        new JobId(rows.getObject("parent", UUID.class)),
                        Optional.ofNullable(rows.getString("status")).map(JobStatus::parse),
                        rows.getBoolean("any_outcome")));
            }
        }
        return dependencies;
    }

    private static List<UUID> uuids(@Nullable Array array) throws SQLException {
        return array == null ? List.of() : List.of((UUID[]) array.getArray());
    }

    static JobInfo read(ResultSet rows, Optional<String> waitingReason, List<Dependency> dependencies)
            throws SQLException {
        Optional<String> error = Optional.ofNullable(rows.getString("error"));
        boolean completed = rows.getString("status").equals(JobStatus.COMPLETED.text());
        long timeout = rows.getLong("timeout_ms");
        int maxAttempts = rows.getInt("max_attempts");
        return new JobInfo(
                new JobId(rows.getObject("id", UUID.class)),
                rows.getString("name"),
                JobStatus.parse(rows.getString("status")),
                rows.getString("queue"),
                Optional.of(rows.getString("capability")).filter(c -> !c.isEmpty()),
                Priority.ofLevel(rows.getInt("priority")),
                rows.getInt("attempt"),
                maxAttempts == 0 ? RetryPolicy.DEFAULT_MAX_ATTEMPTS : maxAttempts,
                rows.getInt("crashes"),
                Optional.ofNullable(rows.getString("node_id")),
                rows.getString("args"),
                Optional.ofNullable(rows.getString("result")),
                completed ? Optional.empty() : error,
                completed ? error : Optional.empty(),
                Optional.ofNullable(rows.getString("key")),
                tags(rows),
                progress(rows),
                metadata(rows),
                instant(rows, "run_at"),
                instant(rows, "created_at"),
                Optional.ofNullable(optionalInstant(rows, "started_at")),
                Optional.ofNullable(optionalInstant(rows, "finished_at")),
                waitingReason,
                Optional.ofNullable(optionalInstant(rows, "expires_at")),
                timeout == 0 ? Optional.empty() : Optional.of(Duration.ofMillis(timeout)),
                dependencies);
    }

    private static List<String> tags(ResultSet rows) throws SQLException {
        Array tags = rows.getArray("tags");
        return tags == null ? List.of() : List.of((String[]) tags.getArray());
    }

    private static Map<String, String> metadata(ResultSet rows) throws SQLException {
        // Names and values in turn.
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
                : Optional.of(new Progress(percent, Optional.ofNullable(rows.getString("progress_message"))));
    }

    private static Instant instant(ResultSet rows, String column) throws SQLException {
        return rows.getObject(column, OffsetDateTime.class).toInstant();
    }

    private static @Nullable Instant optionalInstant(ResultSet rows, String column) throws SQLException {
        OffsetDateTime value = rows.getObject(column, OffsetDateTime.class);
        return value == null ? null : value.toInstant();
    }
}
