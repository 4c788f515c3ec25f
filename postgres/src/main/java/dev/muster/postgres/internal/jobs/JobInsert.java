package dev.muster.postgres.internal.jobs;

import dev.muster.internal.job.store.NewJob;
import dev.muster.job.InvalidJob;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.Rows;
import dev.muster.postgres.internal.db.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Adds rows of jobs with the statement that is fastest for them; see docs/adr/0016-three-ways-in.md. */
public final class JobInsert {
    private final Database database;

    JobInsert(Database database) {
        this.database = database;
    }

    /**
     * Adds jobs whose ids are new, and returns them.
     *
     * @param first statements to send before, in the same round trip; may be empty
     */
    List<NewJob> write(Connection connection, String first, List<NewJob> jobs) throws SQLException {
        if (JobCopy.suits(connection, jobs)) {
            JobCopy.write(connection, database, first, jobs);
        } else if (jobs.stream().allMatch(JobInsert::isPlain)) {
            writePlain(connection, first, jobs);
        } else {
            try (PreparedStatement statement = Statements.prepare(connection, first + database.sql("jobs/enqueue"))) {
                bind(new Params(statement), jobs);
                statement.execute();
            }
        }
        return jobs;
    }

    /** Adds jobs of which an earlier call may have added some, and returns those that did not exist before. */
    List<NewJob> writeMissing(Connection connection, List<NewJob> jobs) throws SQLException {
        refuseOldSnapshot(database.query("jobs/take_number").one(connection, row -> row.getString(2)));
        Set<UUID> inserted = new HashSet<>(database.preparedQuery("jobs/enqueue_missing")
                .with(p -> bind(p, jobs))
                .list(connection, Rows::id));
        inserted.removeAll(removeEnded(connection, inserted));
        return jobs.stream().filter(j -> inserted.contains(j.id().value())).toList();
    }

    /** A transaction that reads history with the snapshot of its first statement misses jobs that have ended since. */
    private static void refuseOldSnapshot(String isolation) {
        if (!isolation.equals("read committed")) {
            throw new InvalidJob(
                    "a job with an id of your own cannot be enqueued in a " + isolation.toUpperCase(Locale.ROOT)
                            + " transaction: a job of that id that ended since the transaction began would not be seen, and run"
                            + " again; use READ COMMITTED for this transaction, or a key instead of an id");
        }
    }

    /** Whether the job is due at once and has only the columns' defaults in all that the plain statement leaves out. */
    private static boolean isPlain(NewJob job) {
        return JobCopy.isDueAtOnce(job)
                && job.key() == null
                && job.metadata() == null
                && job.tags().isEmpty()
                && job.batch() == null;
    }

    private void writePlain(Connection connection, String first, List<NewJob> jobs) throws SQLException {
        boolean traced = isTraced(jobs);
        String sql = database.sql(traced ? "jobs/enqueue_traced" : "jobs/enqueue_plain");
        try (PreparedStatement statement = Statements.prepare(connection, first + sql)) {
            Params params = bindHead(new Params(statement), jobs)
                    .column("text", jobs, NewJob::args)
                    .column("int2", jobs, j -> j.options().maxAttempts())
                    .column("int2", jobs, j -> j.options().maxCrashes())
                    .column("int8", jobs, j -> millis(j.options().timeout()));
            if (traced) {
                params.column("text", jobs, NewJob::trace);
            }
            statement.execute();
        }
    }

    /** Whether some of the jobs belong to a trace. */
    static boolean isTraced(List<NewJob> jobs) {
        for (NewJob job : jobs) {
            if (job.trace() != null) {
                return true;
            }
        }
        return false;
    }

    /** Binds the first parameters of both statements: the job's identity and its position in the order of claims. */
    private static Params bindHead(Params params, List<NewJob> jobs) throws SQLException {
        return params.uuids(jobs.stream().map(j -> j.id().value()).toList())
                .column("text", jobs, NewJob::name)
                .column("text", jobs, j -> j.lane().queue())
                .column("text", jobs, j -> j.lane().capability())
                .column("int2", jobs, j -> j.priority().level());
    }

    private static void bind(Params params, List<NewJob> jobs) throws SQLException {
        bindHead(params, jobs)
                .column("timestamptz", jobs, j -> text(j.timing().at()))
                .column("int8", jobs, j -> millis(j.timing().delay()))
                .column("text", jobs, NewJob::args)
                .column("text", jobs, NewJob::key)
                .column("int2", jobs, j -> j.options().maxAttempts())
                .column("int2", jobs, j -> j.options().maxCrashes())
                .column("int8", jobs, j -> millis(j.options().timeout()))
                .column("text", jobs, NewJob::metadata)
                .column("bool", jobs, NewJob::isDependent)
                .column("timestamptz", jobs, j -> text(j.timing().expiresAt()))
                .column("int8", jobs, j -> millis(j.timing().expiresIn()))
                .column("text", jobs, j -> j.tags().isEmpty() ? null : "{" + String.join(",", j.tags()) + "}")
                .column("uuid", jobs, j -> j.batch() == null ? null : j.batch().value())
                .column("text", jobs, NewJob::concurrencyGroup)
                .column("text", jobs, NewJob::trace);
    }

    private List<UUID> removeEnded(Connection connection, Set<UUID> inserted) throws SQLException {
        return database.preparedQuery("jobs/remove_ended")
                .with(p -> p.uuids(inserted))
                .list(connection, Rows::id);
    }

    private static @Nullable String text(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC).toString();
    }

    private static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null ? null : duration.toMillis();
    }
}
