package dev.muster.postgres.jobs;

import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import dev.muster.job.RetryableJobs;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.Params;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Puts ended jobs back in line.
 *
 * <p>A job that depends on others is first written as waiting, with its edges. The next statement of the transaction, which
 * sees all that was committed until then, looks at what it depends on. What ends after that finds the edges, or is found by
 * the sweep, as for a job that is enqueued.
 */
public final class JobRetrier {
    private static final int BATCH = 1_000;
    private static final UUID FIRST = new UUID(0, 0);
    private static final OffsetDateTime LONG_AGO = OffsetDateTime.of(1970, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);

    private final Database database;
    private final PostgresDependencyStore dependencies;

    JobRetrier(Database database, PostgresDependencyStore dependencies) {
        this.database = database;
        this.dependencies = dependencies;
    }

    /** Where a walk over ended jobs is. */
    private record Place(OffsetDateTime finishedAt, UUID id) {}

    /** @throws MusterException if it would wait in vain */
    Optional<Lane> retry(JobId id) {
        return database.inTransaction(connection -> {
            try (PreparedStatement statement =
                    Database.prepare(connection, database.sql("jobs/retry").replace("{which}", "id = ?"))) {
                Set<UUID> waiting = new HashSet<>();
                List<Lane> lanes = read(new Params(statement).uuid(id.value()).query(), waiting);
                if (!waiting.isEmpty()) {
                    refuseBlocked(connection, id);
                    dependencies.waitAgain(connection, waiting);
                }
                return lanes.stream().findFirst();
            }
        });
    }

    private static List<Lane> read(ResultSet rows, Set<UUID> waiting) throws SQLException {
        List<Lane> lanes = new ArrayList<>();
        while (rows.next()) {
            lanes.add(new Lane(rows.getString("queue"), rows.getString("capability")));
            if (rows.getBoolean("waits")) {
                waiting.add(rows.getObject("id", UUID.class));
            }
        }
        return lanes;
    }

    private void refuseBlocked(Connection connection, JobId id) throws SQLException {
        try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/blocked"))) {
            ResultSet rows = new Params(statement).uuids(List.of(id.value())).query();
            if (rows.next()) {
                throw new MusterException(refusal(
                        id,
                        new JobId(rows.getObject("parent", UUID.class)),
                        rows.getString("name"),
                        rows.getString("status")));
            }
        }
    }

    private static String refusal(JobId id, JobId parent, @Nullable String name, @Nullable String status) {
        if (status == null) {
            return "job " + id + " is not retried: it depends on job " + parent
                    + ", of which nothing is left in history; enqueue a new job in its place";
        }
        return "job " + id + " is not retried: it depends on job " + parent + " ('" + name + "'), which is " + status
                + " and has to complete first. Retry that one with its dependents";
    }

    /** Retries what the query names; what it leaves alone because of its dependencies is looked at again after each round. */
    List<Lane> retryAll(JobQuery query) {
        // What fails again meanwhile is not retried again.
        OffsetDateTime start = now();
        List<Lane> lanes = new ArrayList<>();
        int before;
        do {
            before = lanes.size();
            retryRound(new JobFilter(query), start, lanes);
        } while (lanes.size() > before);
        return lanes;
    }

    private void retryRound(JobFilter filter, OffsetDateTime start, List<Lane> lanes) {
        String sql = database.sql("jobs/retryable").replace("{filter}", filter.and());
        Place[] last = {new Place(LONG_AGO, FIRST)};
        List<UUID> ids = new ArrayList<>();
        do {
            lanes.addAll(database.inRawTransaction(connection -> {
                Place place = last[0];
                ids.clear();
                try (PreparedStatement statement = connection.prepareStatement(sql)) {
                    Params params = new Params(statement)
                            .time(start)
                            .time(place.finishedAt)
                            .uuid(place.id)
                            .time(place.finishedAt);
                    filter.bind(params);
                    ResultSet rows = params.number(BATCH).query();
                    while (rows.next()) {
                        ids.add(rows.getObject("id", UUID.class));
                        place = new Place(rows.getObject("finished_at", OffsetDateTime.class), ids.get(ids.size() - 1));
                    }
                }
                List<Lane> some = retrySome(connection, ids, start);
                last[0] = place;
                return some;
            }));
        } while (ids.size() == BATCH);
    }

    private List<Lane> retrySome(Connection connection, List<UUID> ids, OffsetDateTime start) throws SQLException {
        if (ids.isEmpty()) {
            return List.of();
        }
        String sql = database.sql("jobs/retry").replace("{which}", "id = ANY (?::uuid[]) AND finished_at <= ?");
        Set<UUID> waiting = new HashSet<>();
        List<Lane> lanes;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            lanes = read(new Params(statement).uuids(ids).time(start).query(), waiting);
        }
        dependencies.waitAgain(connection, waiting);
        return lanes;
    }

    /**
     * Level by level: a job is looked for only when those it depends on are back in line. Those that wait already are passed
     * through: an earlier call may have been cut off below them.
     */
    List<Lane> retryDependents(JobId id) {
        OffsetDateTime created = createdAt(id);
        if (created == null) {
            return List.of();
        }
        OffsetDateTime start = now();
        List<Lane> lanes = new ArrayList<>();
        Set<UUID> seen = new HashSet<>(Set.of(id.value()));
        List<UUID> level = List.of(id.value());
        while (!level.isEmpty()) {
            Set<UUID> next = new LinkedHashSet<>();
            for (int first = 0; first < level.size(); first += BATCH) {
                List<UUID> parents = level.subList(first, Math.min(level.size(), first + BATCH));
                List<UUID> some;
                do {
                    some = retrySomeDependents(parents, created, start, lanes);
                    next.addAll(some);
                } while (some.size() == BATCH);
                next.addAll(dependencies.waitingFor(parents));
            }
            next.removeAll(seen);
            seen.addAll(next);
            level = List.copyOf(next);
        }
        return lanes;
    }

    private List<UUID> retrySomeDependents(
            List<UUID> parents, OffsetDateTime created, OffsetDateTime start, List<Lane> lanes) {
        List<UUID> ids = new ArrayList<>();
        lanes.addAll(database.inRawTransaction(connection -> {
            ids.clear();
            try (PreparedStatement statement = connection.prepareStatement(database.sql("jobs/cancelled_with"))) {
                ResultSet rows = new Params(statement)
                        .time(created)
                        .time(start)
                        .uuids(parents)
                        .number(BATCH)
                        .query();
                while (rows.next()) {
                    ids.add(rows.getObject("id", UUID.class));
                }
            }
            return retrySome(connection, ids, start);
        }));
        return ids;
    }

    List<RetryableJobs> retryable(JobQuery query) {
        JobFilter filter = new JobFilter(query);
        String sql = "SELECT name, status, count(*) FROM (SELECT name, status FROM " + database.schema()
                + ".muster_job_history WHERE status <> 'completed'" + filter.and() + " LIMIT " + RetryableJobs.MOST
                + ") h GROUP BY name, status ORDER BY name, status";
        return database.inRawTransaction(connection -> {
            List<RetryableJobs> counts = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                Params params = new Params(statement);
                filter.bind(params);
                ResultSet rows = params.query();
                while (rows.next()) {
                    counts.add(
                            new RetryableJobs(rows.getString(1), JobStatus.parse(rows.getString(2)), rows.getLong(3)));
                }
            }
            return counts;
        });
    }

    private OffsetDateTime now() {
        return database.inRawTransaction(connection -> {
            String sql = "SELECT " + database.schema() + ".muster_clock()";
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                ResultSet rows = statement.executeQuery();
                rows.next();
                return rows.getObject(1, OffsetDateTime.class);
            }
        });
    }

    private @Nullable OffsetDateTime createdAt(JobId id) {
        String sql = "SELECT created_at FROM " + database.schema()
                + ".muster_jobs WHERE id = ? UNION ALL SELECT created_at FROM " + database.schema()
                + ".muster_job_history WHERE id = ?";
        return database.inTransaction(connection -> {
            try (PreparedStatement statement = Database.prepare(connection, sql)) {
                ResultSet rows =
                        new Params(statement).uuid(id.value()).uuid(id.value()).query();
                return rows.next() ? rows.getObject(1, OffsetDateTime.class) : null;
            }
        });
    }
}
