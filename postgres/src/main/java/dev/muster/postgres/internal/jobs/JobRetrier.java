package dev.muster.postgres.internal.jobs;

import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import dev.muster.job.RetryableJobs;
import dev.muster.postgres.internal.admission.PostgresAdmissionStore;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Query;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Retries ended jobs.
 *
 * <p>A job that depends on others is first written as waiting, with its edges. The next statement of the transaction, which
 * sees all that was committed until then, checks the jobs it depends on. A job that ends after that finds the edges, or the
 * sweep finds them, as for a job that is enqueued.
 */
public final class JobRetrier {
    private static final int CHUNK = 1_000;
    private static final UUID FIRST = new UUID(0, 0);
    private static final OffsetDateTime LONG_AGO = OffsetDateTime.of(1970, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);

    private final Database database;
    private final PostgresDependencyStore dependencies;
    private final PostgresAdmissionStore admission;

    private final PlacementLimit placements;

    JobRetrier(
            Database database,
            PostgresDependencyStore dependencies,
            PostgresAdmissionStore admission,
            PlacementLimit placements) {
        this.database = database;
        this.placements = placements;
        this.admission = admission;
        this.dependencies = dependencies;
    }

    /** The position of a walk over ended jobs. */
    private record Position(OffsetDateTime finishedAt, UUID id) {}

    /** @throws MusterException if the job would wait forever */
    Optional<Lane> retry(JobId id) {
        Query retry =
                database.preparedQuery("jobs/retry", Map.of("which", "id = ?")).with(p -> p.uuid(id.value()));
        Set<String> inGroups = new HashSet<>();
        Optional<Lane> lane = database.inTransaction(connection -> {
            inGroups.clear();
            Set<UUID> waiting = new HashSet<>();
            List<Lane> lanes = retry(connection, retry, waiting, inGroups);
            if (!waiting.isEmpty()) {
                refuseBlocked(connection, id);
                dependencies.waitAgain(connection, waiting);
            }
            return lanes.stream().findFirst();
        });
        admission.admitAndTell(inGroups);
        return lane;
    }

    /**
     * @param waiting is given the jobs that wait for others
     * @param inGroups is given the groups of the jobs
     */
    private List<Lane> retry(Connection connection, Query retry, Set<UUID> waiting, Set<String> inGroups)
            throws SQLException {
        Map<Lane, Optional<String>> wanted = new HashMap<>();
        List<Lane> lanes = retry.list(connection, row -> {
            if (row.getBoolean("waits")) {
                waiting.add(row.getObject("id", UUID.class));
            }
            if (row.getString("concurrency_group") != null) {
                inGroups.add(row.getString("concurrency_group"));
            }
            Lane lane = new Lane(row.getString("queue"), row.getString("capability"));
            PlacementLimit.want(wanted, lane, row.getString("tenant"));
            return lane;
        });
        placements.admit(connection, wanted);
        return lanes;
    }

    private void refuseBlocked(Connection connection, JobId id) throws SQLException {
        Optional<String> refusal = database.preparedQuery("jobs/blocked")
                .with(p -> p.uuids(List.of(id.value())))
                .first(
                        connection,
                        row -> refusal(
                                id,
                                new JobId(row.getObject("parent", UUID.class)),
                                row.getString("name"),
                                row.getString("status")));
        if (refusal.isPresent()) {
            throw new MusterException(refusal.get());
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

    /**
     * Retries the jobs that match the query; those that are left out because of their dependencies are checked again after each
     * round.
     */
    List<Lane> retryAll(JobQuery query) {
        // A job that fails again meanwhile is not retried again.
        OffsetDateTime start = now();
        List<Lane> lanes = new ArrayList<>();
        int before;
        do {
            before = lanes.size();
            retryRound(JobFilter.forChanges(query), start, lanes);
        } while (lanes.size() > before);
        return lanes;
    }

    private void retryRound(JobFilter filter, OffsetDateTime start, List<Lane> lanes) {
        Query retryable = filter.walksTenant()
                ? database.query(
                        "jobs/retryable_of_tenant",
                        Map.of("after", filter.after(), "filter", filter.andRest(), "order", filter.order("")))
                : database.query("jobs/retryable", Map.of("filter", filter.and()));
        Position last = new Position(LONG_AGO, FIRST);
        List<Position> found = new ArrayList<>();
        do {
            Position from = last;
            Set<String> inGroups = new HashSet<>();
            lanes.addAll(database.inRawTransaction(connection -> {
                inGroups.clear();
                found.clear();
                filter.walk(database, connection);
                found.addAll(retryable
                        .with(p -> {
                            p.time(start);
                            if (filter.walksTenant()) {
                                filter.bindAfter(p, new JobId(from.id));
                                filter.bindRest(p);
                            } else {
                                p.time(from.finishedAt).uuid(from.id).time(from.finishedAt);
                                filter.bind(p);
                            }
                            p.number(CHUNK);
                        })
                        .list(connection, JobRetrier::position));
                return retrySome(connection, found.stream().map(Position::id).toList(), start, inGroups);
            }));
            admission.admitAndTell(inGroups);
            last = found.isEmpty() ? from : found.get(found.size() - 1);
        } while (found.size() == CHUNK);
    }

    private static Position position(ResultSet row) throws SQLException {
        return new Position(row.getObject("finished_at", OffsetDateTime.class), row.getObject("id", UUID.class));
    }

    private List<Lane> retrySome(Connection connection, List<UUID> ids, OffsetDateTime start, Set<String> inGroups)
            throws SQLException {
        if (ids.isEmpty()) {
            return List.of();
        }
        Query retry = database.query("jobs/retry", Map.of("which", "id = ANY (?::uuid[]) AND finished_at <= ?"))
                .with(p -> p.uuids(ids).time(start));
        Set<UUID> waiting = new HashSet<>();
        List<Lane> lanes = retry(connection, retry, waiting, inGroups);
        dependencies.waitAgain(connection, waiting);
        return lanes;
    }

    /**
     * Retries dependents level by level: a job is searched only after the jobs it depends on were retried. Dependents that wait
     * already are followed too, because an earlier call may have been interrupted after them.
     *
     * @param tenant whose jobs alone are retried; null for those of everybody
     */
    List<Lane> retryDependents(JobId id, @Nullable String tenant) {
        return createdAt(id)
                .map(created -> retryDependents(id, tenant, created))
                .orElse(List.of());
    }

    private List<Lane> retryDependents(JobId id, @Nullable String tenant, OffsetDateTime created) {
        OffsetDateTime start = now();
        List<Lane> lanes = new ArrayList<>();
        Set<UUID> seen = new HashSet<>(Set.of(id.value()));
        List<UUID> level = List.of(id.value());
        while (!level.isEmpty()) {
            Set<UUID> next = new LinkedHashSet<>();
            for (int first = 0; first < level.size(); first += CHUNK) {
                List<UUID> parents = level.subList(first, Math.min(level.size(), first + CHUNK));
                List<UUID> some;
                do {
                    some = retrySomeDependents(parents, tenant, created, start, lanes);
                    next.addAll(some);
                } while (some.size() == CHUNK);
                next.addAll(dependencies.waitingFor(parents));
            }
            next.removeAll(seen);
            seen.addAll(next);
            level = List.copyOf(next);
        }
        return lanes;
    }

    private List<UUID> retrySomeDependents(
            List<UUID> parents,
            @Nullable String tenant,
            OffsetDateTime created,
            OffsetDateTime start,
            List<Lane> lanes) {
        List<UUID> ids = new ArrayList<>();
        Set<String> inGroups = new HashSet<>();
        lanes.addAll(database.inRawTransaction(connection -> {
            ids.clear();
            inGroups.clear();
            database.query("jobs/cancelled_with")
                    .with(p -> p.time(created)
                            .time(start)
                            .uuids(parents)
                            .text(tenant)
                            .text(tenant)
                            .number(CHUNK))
                    .each(connection, row -> ids.add(row.getObject("id", UUID.class)));
            return retrySome(connection, ids, start, inGroups);
        }));
        admission.admitAndTell(inGroups);
        return ids;
    }

    List<RetryableJobs> retryable(JobQuery query) {
        JobFilter filter = JobFilter.forChanges(query);
        Query count = database.query(
                        "jobs/count_retryable",
                        Map.of(
                                "filter", filter.and(),
                                "order", filter.walksTenant() ? " ORDER BY " + filter.order("") : "",
                                "limit", String.valueOf(RetryableJobs.MOST)))
                .with(filter::bind);
        return database.readingRaw(connection -> {
            filter.walk(database, connection);
            return count.list(
                    connection,
                    row -> new RetryableJobs(
                            row.getString("name"), JobStatus.stored(row.getString("status")), row.getLong("jobs")));
        });
    }

    private OffsetDateTime now() {
        return database.readingRaw(connection ->
                database.query("transactions/now").one(connection, row -> row.getObject(1, OffsetDateTime.class)));
    }

    private Optional<OffsetDateTime> createdAt(JobId id) {
        Query created = database.preparedQuery("jobs/created_at")
                .with(p -> p.uuid(id.value()).uuid(id.value()));
        return database.reading(connection -> created.first(connection, row -> row.getObject(1, OffsetDateTime.class)));
    }
}
