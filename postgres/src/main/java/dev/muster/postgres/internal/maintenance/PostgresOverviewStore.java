package dev.muster.postgres.internal.maintenance;

import dev.muster.internal.overview.ClusterReading.BlockedRuns;
import dev.muster.internal.overview.ClusterReading.CronProblem;
import dev.muster.internal.overview.ClusterReading.DeadLetters;
import dev.muster.internal.overview.ClusterReading.DueJobs;
import dev.muster.internal.overview.OverviewStore;
import dev.muster.job.JobCount;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Query;
import dev.muster.postgres.internal.db.Readers;
import dev.muster.postgres.internal.db.Rows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Reads what an overview shows in PostgreSQL. */
public final class PostgresOverviewStore implements OverviewStore {
    private static final Duration CLOCK_LIMIT = Duration.ofSeconds(5);

    /** How many jobs that did not complete are looked at. */
    private static final int MOST_UNHAPPY = 20_000;

    private static final int MOST_RUNS = 1_000;

    private final Database database;
    private final Readers readers;

    public PostgresOverviewStore(Database database, Readers readers) {
        this.database = database;
        this.readers = readers;
    }

    @Override
    public Instant readTime() {
        return readers.asPlanned(
                CLOCK_LIMIT,
                connection -> database.query("overview/now").one(connection, row -> Rows.instant(row, "now")));
    }

    @Override
    public DeadLetters deadLetters(Duration limit) {
        Query query = database.query("overview/dead_letters")
                .with(p -> p.number(MOST_UNHAPPY).number(MOST_UNHAPPY).number(MOST_UNHAPPY));
        return readers.alongIndexes(
                limit,
                connection -> query.one(
                        connection,
                        row -> new DeadLetters(
                                new JobCount(row.getLong("last_day"), row.getBoolean("whole_day")),
                                new JobCount(row.getLong("last_hour"), row.getBoolean("whole_hour")),
                                Rows.optionalInstant(row, "last_at"))));
    }

    @Override
    public List<DueJobs> oldestDue(Duration limit) {
        return readers.alongIndexes(
                limit,
                connection -> database.query("overview/oldest_due").list(connection, PostgresOverviewStore::due));
    }

    private static DueJobs due(ResultSet row) throws SQLException {
        return new DueJobs(
                row.getString("name"),
                row.getString("queue"),
                Rows.instant(row, "since"),
                new JobCount(row.getLong("jobs"), !row.getBoolean("more")));
    }

    @Override
    public List<BlockedRuns> blockedRuns(Duration limit) {
        return readers.alongIndexes(
                limit,
                connection -> database.query("overview/blocked_runs").list(connection, PostgresOverviewStore::blocked));
    }

    private static BlockedRuns blocked(ResultSet row) throws SQLException {
        long runs = row.getLong("runs");
        return new BlockedRuns(
                row.getString("workflow_name"),
                row.getString("workflow_version"),
                row.getString("reason"),
                Rows.instant(row, "changed_at"),
                new JobCount(Math.min(runs, MOST_RUNS), runs <= MOST_RUNS));
    }

    @Override
    public List<CronProblem> cronProblems(Duration limit) {
        return readers.asPlanned(
                limit,
                connection -> database.query("overview/cron_problems")
                        .list(
                                connection,
                                row -> new CronProblem(
                                        row.getString("name"),
                                        row.getString("problem"),
                                        Rows.optionalInstant(row, "due"))));
    }
}
