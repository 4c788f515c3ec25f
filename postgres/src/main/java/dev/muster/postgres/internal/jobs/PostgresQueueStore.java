package dev.muster.postgres.internal.jobs;

import dev.muster.internal.job.store.QueueStore;
import dev.muster.job.JobRate;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import dev.muster.job.QueueInfo;
import dev.muster.job.QueueLimit;
import dev.muster.postgres.internal.claims.EarlierClaims;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.Readers;
import dev.muster.postgres.internal.db.Rows;
import dev.muster.runtime.MusterException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lists queues with their counts, pauses and resumes them, and sets their limits. */
public final class PostgresQueueStore implements QueueStore {
    private static final Logger log = LoggerFactory.getLogger(PostgresQueueStore.class);

    private static final Duration LIST_LIMIT = Duration.ofSeconds(5);

    /** How often it is looked whether claims that began before a limit have ended. Most take milliseconds. */
    private static final Duration CLAIMS_CHECK = Duration.ofMillis(100);

    /** How long a new limit waits for such claims. After that they are left to whoever claims from the queue. */
    private static final Duration CLAIMS_END = Duration.ofSeconds(2);

    private final Database database;
    private final Readers readers;
    private final EarlierClaims earlierClaims;

    public PostgresQueueStore(Database database, Readers readers) {
        this.database = database;
        this.readers = readers;
        this.earlierClaims = new EarlierClaims(database);
    }

    @Override
    public void pause(String queue) {
        update("queues/pause", queue);
    }

    @Override
    public Set<Lane> resume(String queue) {
        update("queues/resume", queue);
        List<Lane> lanes = database.reading(connection -> database.preparedQuery("jobs/lanes")
                .list(connection, row -> new Lane(row.getString(1), row.getString(2))));
        return lanes.stream().filter(lane -> lane.queue().equals(queue)).collect(Collectors.toSet());
    }

    private void update(String name, String queue) {
        database.inRawTransaction(
                connection -> database.query(name).with(p -> p.text(queue)).update(connection));
    }

    /**
     * One transaction sets the limit and notes what runs already. What claims that have begun before take meanwhile is noted when these have
     * ended: by this program, or by the next one that claims from the queue.
     */
    @Override
    public void limit(String queue, QueueLimit limit) {
        boolean isFirst = database.inTransaction(connection -> {
            boolean first = database.query("queues/limit")
                    .with(p -> bind(p, queue, limit))
                    .one(connection, row -> row.getBoolean(1));
            if (first) {
                database.query("queues/note_running").with(p -> p.text(queue)).update(connection);
            }
            return first;
        });
        if (isFirst) {
            noteClaimsBefore(queue);
        }
    }

    private static void bind(Params params, String queue, QueueLimit limit) throws SQLException {
        JobRate rate = limit.rate().orElse(null);
        params.text(queue)
                .optional(limit.maxRunning().isPresent() ? limit.maxRunning().getAsInt() : null)
                .optional(rate == null ? null : rate.jobs())
                .optional(rate == null ? null : rate.interval().toMillis())
                .optional(rate == null ? null : rate.burst());
    }

    private void noteClaimsBefore(String queue) {
        long begun = System.nanoTime();
        try {
            do {
                TimeUnit.MILLISECONDS.sleep(CLAIMS_CHECK.toMillis());
            } while (!earlierClaims.note(queue) && System.nanoTime() - begun < CLAIMS_END.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (MusterException e) {
            // The limit is set, and whoever claims from the queue does the rest.
            log.debug("queue={} jobs that were claimed before its limit are noted later", queue, e);
        }
    }

    @Override
    public List<QueueInfo> list() {
        return list(LIST_LIMIT);
    }

    @Override
    public List<QueueInfo> list(Duration limit) {
        return readers.alongIndexes(
                limit, connection -> database.query("queues/list").list(connection, PostgresQueueStore::queue));
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
                limit(row),
                atLeast(row));
    }

    private static QueueLimit limit(ResultSet row) throws SQLException {
        Integer max = (Integer) row.getObject("max_running");
        Integer rate = (Integer) row.getObject("rate_per");
        return QueueLimit.of(
                max,
                rate == null
                        ? null
                        : new JobRate(rate, Duration.ofMillis(row.getLong("rate_ms")), row.getInt("burst")));
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
