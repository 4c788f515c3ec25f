package dev.muster.postgres.jobs;

import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import dev.muster.job.QueueInfo;
import dev.muster.job.store.QueueStore;
import dev.muster.postgres.db.Database;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Queues in PostgreSQL. */
public final class PostgresQueueStore implements QueueStore {
    private static final Duration LIST_LIMIT = Duration.ofSeconds(5);

    private final Database database;

    public PostgresQueueStore(Database database) {
        this.database = database;
    }

    @Override
    public void pause(String queue) {
        String table = database.schema() + ".muster_queues";
        String clock = database.schema() + ".muster_clock()";
        update(
                "INSERT INTO " + table + " AS q (name, paused_at) VALUES (?, " + clock + ")"
                        + " ON CONFLICT (name) DO UPDATE SET paused_at = coalesce(q.paused_at, excluded.paused_at)",
                queue);
    }

    @Override
    public Set<Lane> resume(String queue) {
        update("UPDATE " + database.schema() + ".muster_queues SET paused_at = NULL WHERE name = ?", queue);
        return database.inTransaction(connection -> {
            Set<Lane> lanes = new HashSet<>();
            try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/lanes"))) {
                ResultSet rows = statement.executeQuery();
                while (rows.next()) {
                    if (rows.getString(1).equals(queue)) {
                        lanes.add(new Lane(queue, rows.getString(2)));
                    }
                }
            }
            return lanes;
        });
    }

    private void update(String sql, String queue) {
        database.inRawTransaction(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setString(1, queue);
                return statement.executeUpdate();
            }
        });
    }

    @Override
    public List<QueueInfo> list() {
        return database.reading(LIST_LIMIT, connection -> {
            List<QueueInfo> queues = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(database.sql("queues/list"))) {
                ResultSet rows = statement.executeQuery();
                while (rows.next()) {
                    queues.add(new QueueInfo(
                            rows.getString("name"),
                            instant(rows, "paused_at"),
                            rows.getLong("waiting"),
                            rows.getLong("pending"),
                            rows.getLong("claimed"),
                            rows.getLong("running"),
                            instant(rows, "oldest_due"),
                            atLeast(rows)));
                }
            }
            return queues;
        });
    }

    private static Set<JobStatus> atLeast(ResultSet rows) throws SQLException {
        Set<JobStatus> statuses = EnumSet.noneOf(JobStatus.class);
        if (rows.getBoolean("more_waiting")) {
            statuses.add(JobStatus.WAITING);
        }
        if (rows.getBoolean("more_pending")) {
            statuses.add(JobStatus.PENDING);
        }
        if (rows.getBoolean("more_held")) {
            statuses.addAll(EnumSet.of(JobStatus.CLAIMED, JobStatus.RUNNING));
        }
        return statuses;
    }

    private static Optional<Instant> instant(ResultSet rows, String column) throws SQLException {
        return Optional.ofNullable(rows.getObject(column, OffsetDateTime.class)).map(OffsetDateTime::toInstant);
    }
}
