package dev.muster.postgres.internal.jobs;

import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.NewJob.Timing;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.SqlStates;
import dev.muster.postgres.internal.db.Statements;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * Adds many jobs with COPY, for which the server writes whole pages. COPY computes nothing, so all jobs must be due at once,
 * and the server is asked for the time before. Each job is a microsecond younger than the one before: among thousands of the
 * same age, a cursor would have to walk over the same jobs again and again.
 */
public final class JobCopy {
    /** Fewer jobs are faster with INSERT, which takes one round trip less. */
    private static final int ENOUGH = 100;

    private static final int CHUNK = 1 << 16;

    /** The time is read before the first job is written; it must not be old when the last one is. */
    private static final int MAX_SAME_AGE = 20_000;

    private JobCopy() {}

    /** Whether there are enough jobs for COPY, which needs a transaction around it. */
    static boolean mayTake(List<NewJob> jobs) {
        return jobs.size() >= ENOUGH;
    }

    static boolean suits(Connection connection, List<NewJob> jobs) throws SQLException {
        return mayTake(jobs)
                && jobs.stream().allMatch(JobCopy::isDueAtOnce)
                && connection.isWrapperFor(PGConnection.class);
    }

    /** Whether it can be claimed as soon as it is there. */
    static boolean isDueAtOnce(NewJob job) {
        return job.timing().equals(Timing.NOW) && !job.isDependent() && job.concurrencyGroup() == null;
    }

    /** @param first statements to send before, in the same round trip; empty in a caller's transaction */
    static void write(Connection connection, Database database, String first, List<NewJob> jobs) throws SQLException {
        try {
            for (int from = 0; from < jobs.size(); from += MAX_SAME_AGE) {
                List<NewJob> some = jobs.subList(from, Math.min(jobs.size(), from + MAX_SAME_AGE));
                copy(connection, database, from == 0 ? first : "", some);
            }
        } catch (SQLException e) {
            if (SqlStates.connectionLost(e)) {
                // The driver leaves the COPY open, and the next user of the connection would get its late answer.
                connection.abort(Runnable::run);
            }
            throw e;
        }
    }

    private static void copy(Connection connection, Database database, String first, List<NewJob> jobs)
            throws SQLException {
        Instant time = now(connection, database, first);
        boolean batched = jobs.stream().anyMatch(job -> job.batch() != null);
        boolean traced = JobInsert.isTraced(jobs);
        String sql = database.sql(traced ? "jobs/copy_traced" : batched ? "jobs/copy_batched" : "jobs/copy");
        CopyIn copy = connection.unwrap(PGConnection.class).getCopyAPI().copyIn(sql);
        try {
            StringBuilder lines = new StringBuilder(CHUNK + CHUNK / 4);
            for (NewJob job : jobs) {
                append(lines, job, time.toString(), batched || traced, traced);
                time = time.plus(1, ChronoUnit.MICROS);
                if (lines.length() >= CHUNK) {
                    send(copy, lines);
                }
            }
            send(copy, lines);
            copy.endCopy();
        } finally {
            if (copy.isActive()) {
                copy.cancelCopy();
            }
        }
    }

    private static Instant now(Connection connection, Database database, String first) throws SQLException {
        String sql = first + database.sql(first.isEmpty() ? "jobs/copy_time" : "jobs/copy_time_and_limit");
        try (PreparedStatement statement = Statements.prepare(connection, sql)) {
            statement.execute();
            ResultSet row = Statements.lastResult(statement);
            row.next();
            return row.getObject(2, OffsetDateTime.class).toInstant();
        }
    }

    private static void send(CopyIn copy, StringBuilder lines) throws SQLException {
        byte[] bytes = lines.toString().getBytes(StandardCharsets.UTF_8);
        copy.writeToCopy(bytes, 0, bytes.length);
        lines.setLength(0);
    }

    private static void append(StringBuilder line, NewJob job, String readyAt, boolean batched, boolean traced) {
        Duration timeout = job.options().timeout();
        line.append(job.id().value()).append('\t');
        text(line, job.name());
        text(line, job.lane().queue());
        text(line, job.lane().capability());
        line.append(job.priority().level()).append('\t');
        line.append(job.priority().level()).append('\t');
        line.append(readyAt).append('\t');
        text(line, job.args());
        text(line, job.key());
        number(line, job.options().maxAttempts());
        number(line, job.options().maxCrashes());
        number(line, timeout == null ? null : timeout.toMillis());
        text(line, job.metadata());
        text(line, job.tags().isEmpty() ? null : "{" + String.join(",", job.tags()) + "}");
        if (batched) {
            text(line, job.batch() == null ? null : job.batch().toString());
        }
        if (traced) {
            text(line, job.trace());
        }
        line.setCharAt(line.length() - 1, '\n');
    }

    private static void number(StringBuilder line, @Nullable Number value) {
        if (value == null) {
            line.append("\\N");
        } else {
            line.append(value.longValue());
        }
        line.append('\t');
    }

    private static void text(StringBuilder line, @Nullable String value) {
        if (value == null) {
            line.append("\\N\t");
            return;
        }
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '\\' -> line.append("\\\\");
                case '\t' -> line.append("\\t");
                case '\n' -> line.append("\\n");
                case '\r' -> line.append("\\r");
                default -> line.append(c);
            }
        }
        line.append('\t');
    }
}
