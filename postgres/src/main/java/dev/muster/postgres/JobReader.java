package dev.muster.postgres;

import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobInfo.Progress;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.job.Priority;
import dev.muster.job.RetryPolicy;
import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads jobs for people. */
final class JobReader {
    private final Database database;

    JobReader(Database database) {
        this.database = database;
    }

    Optional<JobInfo> find(JobId id) {
        return database.inTransaction(connection -> {
            try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/find"))) {
                new Params(statement).uuid(id.value()).uuid(id.value());
                ResultSet rows = statement.executeQuery();
                return rows.next() ? Optional.of(read(rows)) : Optional.<JobInfo>empty();
            }
        });
    }

    List<JobInfo> list(JobQuery query) {
        return database.inRawTransaction(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql("jobs/list"))) {
                Params params = new Params(statement);
                bindFilter(params, query);
                bindFilter(params, query);
                params.number(query.limit());
                List<JobInfo> jobs = new ArrayList<>();
                ResultSet rows = statement.executeQuery();
                while (rows.next()) {
                    jobs.add(read(rows));
                }
                return jobs;
            }
        });
    }

    private static void bindFilter(Params params, JobQuery query) throws SQLException {
        List<String> statuses = query.statuses().isEmpty()
                ? null
                : query.statuses().stream().map(JobStatus::text).toList();
        String name = query.name().orElse(null);
        String queue = query.queue().orElse(null);
        params.texts(statuses)
                .texts(statuses)
                .text(name)
                .text(name)
                .text(queue)
                .text(queue)
                .number(query.limit());
    }

    private static JobInfo read(ResultSet rows) throws SQLException {
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
                Optional.ofNullable(rows.getString("error")),
                Optional.ofNullable(rows.getString("key")),
                tags(rows),
                progress(rows),
                Optional.ofNullable(rows.getString("metadata")),
                instant(rows, "run_at"),
                instant(rows, "created_at"),
                Optional.ofNullable(optionalInstant(rows, "started_at")),
                Optional.ofNullable(optionalInstant(rows, "finished_at")));
    }

    private static List<String> tags(ResultSet rows) throws SQLException {
        Array tags = rows.getArray("tags");
        return tags == null ? List.of() : List.of((String[]) tags.getArray());
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
