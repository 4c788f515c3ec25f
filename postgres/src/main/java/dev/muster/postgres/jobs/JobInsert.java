package dev.muster.postgres.jobs;

import dev.muster.job.InvalidJob;
import dev.muster.job.store.NewJob;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.Params;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
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

/** Adds rows of jobs, by whichever statement is the fastest for them; see docs/adr/0016-three-ways-in.md. */
public final class JobInsert {
    /**
     * Gives the transaction its number. Before the clock is read: looks take it that whoever reads the clock writes soon
     * after, unless they see its transaction under way.
     */
    static final String NUMBER = "pg_current_xact_id()";

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
            try (PreparedStatement statement = Database.prepare(connection, first + database.sql("jobs/enqueue"))) {
                bind(statement, jobs);
                statement.execute();
            }
        }
        return jobs;
    }

    /** Adds jobs of which an earlier call may have added some, and returns those that did not exist before. */
    List<NewJob> writeMissing(Connection connection, List<NewJob> jobs) throws SQLException {
        // May wait for whoever inserts the same.
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT " + NUMBER + ", current_setting('transaction_isolation')")) {
            ResultSet row = statement.executeQuery();
            row.next();
            refuseOldSnapshot(row.getString(2));
        }
        String sql = database.sql("jobs/enqueue") + " ON CONFLICT (id) DO NOTHING RETURNING id";
        try (PreparedStatement statement = Database.prepare(connection, sql)) {
            bind(statement, jobs);
            Set<UUID> inserted = ids(statement.executeQuery());
            inserted.removeAll(removeEnded(connection, inserted));
            return jobs.stream().filter(j -> inserted.contains(j.id().value())).toList();
        }
    }

    /** Whoever looks at history with the snapshot of its first statement misses jobs that have ended since. */
    private static void refuseOldSnapshot(String isolation) {
        if (!isolation.equals("read committed")) {
            throw new InvalidJob(
                    "a job with an id of your own cannot be enqueued in a " + isolation.toUpperCase(Locale.ROOT)
                            + " transaction: a job of that id that ended since the transaction began would not be seen, and run"
                            + " again; use READ COMMITTED for this transaction, or a key instead of an id");
        }
    }

    /** Whether it is due at once, and all that it may leave out is what the columns say by themselves. */
    private static boolean isPlain(NewJob job) {
        return JobCopy.isDueAtOnce(job)
                && job.key() == null
                && job.metadata() == null
                && job.tags().isEmpty();
    }

    private void writePlain(Connection connection, String first, List<NewJob> jobs) throws SQLException {
        try (PreparedStatement statement = Database.prepare(connection, first + database.sql("jobs/enqueue_plain"))) {
            bindHead(statement, jobs)
                    .column("text", jobs, NewJob::args)
                    .column("int2", jobs, NewJob::maxAttempts)
                    .column("int2", jobs, NewJob::maxCrashes)
                    .column("int8", jobs, j -> millis(j.timeout()));
            statement.execute();
        }
    }

    /** What both statements begin with: who the job is and where it stands in line. */
    private static Params bindHead(PreparedStatement statement, List<NewJob> jobs) throws SQLException {
        return new Params(statement)
                .uuids(jobs.stream().map(j -> j.id().value()).toList())
                .column("text", jobs, NewJob::name)
                .column("text", jobs, j -> j.lane().queue())
                .column("text", jobs, j -> j.lane().capability())
                .column("int2", jobs, j -> j.priority().level());
    }

    private static void bind(PreparedStatement statement, List<NewJob> jobs) throws SQLException {
        bindHead(statement, jobs)
                .column("timestamptz", jobs, j -> text(j.at()))
                .column("int8", jobs, j -> millis(j.delay()))
                .column("text", jobs, NewJob::args)
                .column("text", jobs, NewJob::key)
                .column("int2", jobs, NewJob::maxAttempts)
                .column("int2", jobs, NewJob::maxCrashes)
                .column("int8", jobs, j -> millis(j.timeout()))
                .column("text", jobs, NewJob::metadata)
                .column("bool", jobs, NewJob::isDependent)
                .column("timestamptz", jobs, j -> text(j.expiresAt()))
                .column("int8", jobs, j -> millis(j.expiresIn()))
                .column("text", jobs, j -> j.tags().isEmpty() ? null : "{" + String.join(",", j.tags()) + "}");
    }

    /**
     * Takes back what had ended before. The insert found no live row, so a job that existed had left for
     * history by then, and this statement's later snapshot sees it there.
     */
    private Set<UUID> removeEnded(Connection connection, Set<UUID> inserted) throws SQLException {
        String sql = "DELETE FROM " + database.schema() + ".muster_jobs j WHERE j.id = ANY (?) AND EXISTS (SELECT FROM "
                + database.schema() + ".muster_job_history h WHERE h.id = j.id) RETURNING j.id";
        try (PreparedStatement statement = Database.prepare(connection, sql)) {
            new Params(statement).uuids(inserted);
            return ids(statement.executeQuery());
        }
    }

    private static Set<UUID> ids(ResultSet rows) throws SQLException {
        Set<UUID> ids = new HashSet<>();
        while (rows.next()) {
            ids.add(rows.getObject(1, UUID.class));
        }
        return ids;
    }

    private static @Nullable String text(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC).toString();
    }

    private static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null ? null : duration.toMillis();
    }
}
