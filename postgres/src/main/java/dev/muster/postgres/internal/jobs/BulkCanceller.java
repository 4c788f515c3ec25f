package dev.muster.postgres.internal.jobs;

import dev.muster.job.BulkCancellation;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Query;
import dev.muster.postgres.internal.db.Rows;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/** Cancels whole sets of jobs, a bounded number per transaction. */
public final class BulkCanceller {
    private static final int CHUNK = 1_000;
    private static final JobId FIRST = new JobId(new UUID(0, 0));

    private final Database database;
    private final PostgresDependencyStore dependencies;

    BulkCanceller(Database database, PostgresDependencyStore dependencies) {
        this.database = database;
        this.dependencies = dependencies;
    }

    BulkCancellation cancelAll(JobQuery query, Consumer<Set<Lane>> freed) {
        JobFilter filter = JobFilter.forChanges(query);
        int cancelled = 0;
        JobId last = FIRST;
        List<JobId> ended;
        do {
            ended = cancelSome(filter, last);
            Set<Lane> lanes = dependencies.resolveDependents(ended);
            if (!lanes.isEmpty()) {
                freed.accept(lanes);
            }
            cancelled += ended.size();
            last = ended.stream().max(Comparator.naturalOrder()).orElse(last);
        } while (ended.size() == CHUNK);
        return new BulkCancellation(cancelled, request(filter));
    }

    /** @param after where the last chunk ended, so that the rows it left dead are not walked again */
    private List<JobId> cancelSome(JobFilter filter, JobId after) {
        Query cancel = database.query(
                        "jobs/cancel_some",
                        Map.of("after", filter.after(), "filter", filter.andRest(), "order", filter.order("")))
                .with(p -> {
                    filter.bindAfter(p, after);
                    filter.bindRest(p);
                    p.number(CHUNK);
                });
        return database.inRawTransaction(connection -> {
            filter.walk(database, connection);
            return cancel.list(connection, row -> new JobId(Rows.id(row)));
        });
    }

    /** Asks claimed and running jobs to stop, including those that were claimed a moment ago. */
    private int request(JobFilter filter) {
        Query request = database.query(
                        "jobs/request_cancel_some", Map.of("filter", filter.and(), "order", filter.order("")))
                .with(filter::bind);
        return database.inRawTransaction(connection -> {
            filter.walk(database, connection);
            return request.update(connection);
        });
    }
}
