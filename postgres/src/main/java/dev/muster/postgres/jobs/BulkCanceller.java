package dev.muster.postgres.jobs;

import dev.muster.job.BulkCancellation;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.Params;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/** Cancels whole sets of jobs, a bounded number per transaction. */
public final class BulkCanceller {
    private static final int BATCH = 1_000;
    private static final JobId FIRST = new JobId(new UUID(0, 0));

    private final Database database;
    private final PostgresDependencyStore dependencies;

    BulkCanceller(Database database, PostgresDependencyStore dependencies) {
        this.database = database;
        this.dependencies = dependencies;
    }

    BulkCancellation cancelAll(JobQuery query) {
        JobFilter filter = new JobFilter(query);
        int cancelled = 0;
        JobId last = FIRST;
        List<JobId> ended;
        do {
            ended = cancelSome(filter, last);
            dependencies.resolveDependents(ended);
            cancelled += ended.size();
            last = ended.stream().max(Comparator.naturalOrder()).orElse(last);
        } while (ended.size() == BATCH);
        return new BulkCancellation(cancelled, request(filter));
    }

    /** @param after where the last batch ended: what it left dead is not walked again */
    private List<JobId> cancelSome(JobFilter filter, JobId after) {
        String sql = database.sql("jobs/cancel_some").replace("{filter}", filter.and());
        return database.inRawTransaction(connection -> {
            List<JobId> ended = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                Params params = new Params(statement).uuid(after.value());
                filter.bind(params);
                params.number(BATCH);
                ResultSet rows = statement.executeQuery();
                while (rows.next()) {
                    ended.add(new JobId(rows.getObject(1, UUID.class)));
                }
            }
            return ended;
        });
    }

    /** Asks claimed and running jobs to stop, those too that were claimed a moment ago. */
    private int request(JobFilter filter) {
        String jobs = database.schema() + ".muster_jobs";
        String sql = "UPDATE " + jobs + " SET cancel_requested = true WHERE id IN (SELECT id FROM " + jobs
                + " WHERE status IN ('claimed', 'running') AND NOT cancel_requested" + filter.and()
                + " ORDER BY id FOR UPDATE SKIP LOCKED)";
        return database.inRawTransaction(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                filter.bind(new Params(statement));
                return statement.executeUpdate();
            }
        });
    }
}
