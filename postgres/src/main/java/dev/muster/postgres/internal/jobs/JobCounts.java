package dev.muster.postgres.internal.jobs;

import dev.muster.job.JobCount;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.DatabaseErrors.TookTooLong;
import dev.muster.postgres.internal.db.Query;
import dev.muster.postgres.internal.db.Readers;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Counts jobs by status. Nothing is counted to its end: a bounded number of rows is read, and a count that was cut off says so. What an index
 * serves (ids, tags, metadata, batches) is counted along it; otherwise the newest rows are looked at. Live and ended jobs are counted apart, so
 * that dead rows of the one table, which an open transaction keeps, do not hide the counts of the other.
 */
final class JobCounts {
    /** How many rows of one kind are read. */
    private static final int MOST = 10_000;

    /** Short of 300 ms by what a busy server takes to notice. */
    private static final Duration LIMIT = Duration.ofMillis(150);

    private static final Set<JobStatus> ENDED =
            EnumSet.of(JobStatus.COMPLETED, JobStatus.FAILED, JobStatus.CANCELLED, JobStatus.EXPIRED);

    private final Database database;
    private final Readers readers;
    private final JobSearch search;

    JobCounts(Database database, Readers readers, JobSearch search) {
        this.database = database;
        this.readers = readers;
        this.search = search;
    }

    /** All statuses, whatever the query names; what could not be counted in time is "at least none". */
    Map<JobStatus, JobCount> count(JobQuery given) {
        JobQuery query = given.status();
        if (query.key().isPresent()) {
            return ofKey(query);
        }
        boolean indexed = !query.ids().isEmpty()
                || !query.tags().isEmpty()
                || !query.metadata().isEmpty()
                || query.batch().isPresent();
        return indexed ? byIndexOrNewest(query) : newest(query, query.name().isEmpty());
    }

    private Map<JobStatus, JobCount> ofKey(JobQuery query) {
        List<JobId> holders;
        try {
            holders = search.holders(query, LIMIT).stream()
                    .filter(id -> query.ids().isEmpty() || query.ids().contains(id))
                    .toList();
        } catch (TookTooLong e) {
            return all(JobCount.atLeast(0));
        }
        return holders.isEmpty() ? all(JobCount.ZERO) : byIndexOrNewest(query.ids(holders));
    }

    private Map<JobStatus, JobCount> byIndexOrNewest(JobQuery query) {
        try {
            return byIndex(query);
        } catch (TookTooLong e) {
            // So many jobs have this tag that finding them all takes long; the newest ones tell something.
            return newest(query, false);
        }
    }

    private static Map<JobStatus, JobCount> all(JobCount count) {
        Map<JobStatus, JobCount> counts = new EnumMap<>(JobStatus.class);
        for (JobStatus status : JobStatus.known()) {
            counts.put(status, count);
        }
        return counts;
    }

    private Map<JobStatus, JobCount> byIndex(JobQuery query) {
        JobFilter filter = JobFilter.fromAnywhere(query);
        Query select = database.query(
                        "jobs/counts_by_index",
                        Map.of(
                                "where",
                                filter.where(),
                                "order",
                                filter.walksTenant() ? " ORDER BY " + filter.order("") : ""))
                .with(p -> {
                    filter.bind(p);
                    p.number(MOST + 1);
                    filter.bind(p);
                    p.number(MOST + 1);
                });
        return JobSearch.byTenantAlone(query)
                ? readers.alongIndexes(LIMIT, connection -> counted(connection, select))
                : readers.asPlanned(LIMIT, connection -> counted(connection, select));
    }

    private static Map<JobStatus, JobCount> counted(Connection connection, Query select) throws SQLException {
        Map<JobStatus, Long> found = new EnumMap<>(JobStatus.class);
        select.each(
                connection,
                row -> found.merge(JobStatus.stored(row.getString("status")), row.getLong("jobs"), Long::sum));
        Map<JobStatus, JobCount> counts = new EnumMap<>(JobStatus.class);
        for (JobStatus status : JobStatus.known()) {
            long rows = found.entrySet().stream()
                    .filter(one -> ENDED.contains(one.getKey()) == ENDED.contains(status))
                    .mapToLong(Map.Entry::getValue)
                    .sum();
            counts.put(status, new JobCount(found.getOrDefault(status, 0L), rows <= MOST));
        }
        return counts;
    }

    /** @param byQueue whether the filter names nothing but a queue, so that index muster_jobs_ready finds its pending jobs */
    private Map<JobStatus, JobCount> newest(JobQuery query, boolean byQueue) {
        JobFilter filter = JobFilter.fromAnywhere(query);
        Map<String, String> filtered = Map.of("filter", filter.condition());
        JobFilter ofPending = byQueue ? JobFilter.withDrivers(query) : filter;
        String pending = database.sql(
                byQueue ? "jobs/parts/pending_of_queue" : "jobs/parts/pending_of_newest",
                Map.of("filter", ofPending.condition()));
        Query live = database.query("jobs/counts_live", Map.of("filter", filter.condition(), "pending", pending))
                .with(p -> {
                    p.number(MOST + 1);
                    filter.bind(p);
                    for (int part = 0; part < 2; part++) {
                        filter.bind(p);
                        p.number(MOST + 1);
                    }
                    ofPending.bind(p);
                    p.number(MOST + 1);
                });
        Query ended = database.query("jobs/counts_ended", filtered).with(p -> {
            for (int part = 0; part < 2; part++) {
                filter.bind(p);
                p.number(MOST + 1);
            }
        });
        Map<JobStatus, JobCount> counts = all(JobCount.atLeast(0));
        counts.putAll(read(live));
        counts.putAll(read(ended));
        return counts;
    }

    /** Empty if it took too long. */
    private Map<JobStatus, JobCount> read(Query query) {
        try {
            return readers.alongIndexes(LIMIT, connection -> {
                Map<JobStatus, JobCount> counts = new EnumMap<>(JobStatus.class);
                query.each(
                        connection,
                        row -> counts.put(
                                JobStatus.stored(row.getString("status")),
                                new JobCount(Math.min(row.getLong("jobs"), MOST), row.getLong("looked_at") <= MOST)));
                return counts;
            });
        } catch (TookTooLong e) {
            return Map.of();
        }
    }
}
