package dev.muster.postgres.jobs;

import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import dev.muster.job.QueueInfo;
import dev.muster.job.store.QueueStore;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.Readers;
import dev.muster.postgres.db.Rows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Queues in PostgreSQL. */
public final class PostgresQueueStore implements QueueStore {
    private static final Duration LIST_LIMIT = Duration.ofSeconds(5);

    private final Database database;
    private final Readers readers;

    public PostgresQueueStore(Database database, Readers readers) {
        this.database = database;
        this.readers = readers;
    }

    @Override
    public void pause(String queue) {
        update("queues/pause", queue);
    }

    @Override
    public Set<Lane> resume(String queue) {
        update("queues/resume", queue);
        List<Lane> lanes = database.inTransaction(connection -> database.preparedQuery("jobs/lanes")
                .list(connection, row -> new Lane(row.getString(1), row.getString(2))));
        return lanes.stream().filter(lane -> lane.queue().equals(queue)).collect(Collectors.toSet());
    }

    private void update(String name, String queue) {
        database.inRawTransaction(
                connection -> database.query(name).with(p -> p.text(queue)).update(connection));
    }

    @Override
    public List<QueueInfo> list() {
        return readers.alongIndexes(
                LIST_LIMIT, connection -> database.query("queues/list").list(connection, PostgresQueueStore::queue));
    }

    private static QueueInfo queue(ResultSet row) throws SQLException {
        return new QueueInfo(
                row.getString("name"),
                Rows.optionalInstant(row, "paused_at"),
                row.getLong("waiting"),
                row.getLong("pending"),
                row.getLong("claimed"),
                row.getLong("running"),
                Rows.optionalInstant(row, "oldest_due"),
                atLeast(row));
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
}
