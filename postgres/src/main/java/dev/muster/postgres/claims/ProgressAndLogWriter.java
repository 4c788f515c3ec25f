package dev.muster.postgres.claims;

import dev.muster.job.JobId;
import dev.muster.job.JobInfo.Progress;
import dev.muster.job.LogLine;
import dev.muster.job.store.ClaimRef;
import dev.muster.job.store.JobStore.NewLogLine;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.Params;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What handlers say while they run: progress and log lines. */
public final class ProgressAndLogWriter {
    private final Database database;

    public ProgressAndLogWriter(Database database) {
        this.database = database;
    }

    public Set<ClaimRef> progress(Map<ClaimRef, Progress> progress) {
        List<ClaimRef> claims = progress.keySet().stream()
                .sorted((a, b) -> a.id().compareTo(b.id()))
                .toList();
        return database.inTransaction(connection -> {
            Set<ClaimRef> written = new HashSet<>();
            try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/progress"))) {
                ResultSet rows = new Params(statement)
                        .claims(claims)
                        .column("int2", claims, c -> progress.get(c).percent())
                        .column("text", claims, c -> progress.get(c).message().orElse(null))
                        .query();
                while (rows.next()) {
                    written.add(Outcomes.claim(rows));
                }
            }
            return written;
        });
    }

    public void append(List<NewLogLine> lines) {
        database.inTransaction(connection -> {
            try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/log"))) {
                new Params(statement)
                        .uuids(lines.stream().map(l -> l.job().value()).toList())
                        .longs(lines.stream().mapToLong(NewLogLine::agoMillis).toArray())
                        .column("int2", lines, NewLogLine::attempt)
                        .column("text", lines, NewLogLine::level)
                        .column("text", lines, NewLogLine::message);
                return statement.executeUpdate();
            }
        });
    }

    public List<LogLine> read(JobId id, long afterLine, int limit) {
        String sql = "SELECT line, at, attempt, level, message FROM " + database.schema()
                + ".muster_job_logs WHERE job_id = ? AND line > ? ORDER BY line LIMIT ?";
        return database.inRawTransaction(connection -> {
            List<LogLine> lines = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                new Params(statement).uuid(id.value()).number(afterLine).number(limit);
                ResultSet rows = statement.executeQuery();
                while (rows.next()) {
                    lines.add(new LogLine(
                            rows.getLong("line"),
                            rows.getObject("at", OffsetDateTime.class).toInstant(),
                            rows.getInt("attempt"),
                            rows.getString("level"),
                            rows.getString("message")));
                }
            }
            return lines;
        });
    }
}
