package dev.muster.postgres.claims;

import dev.muster.job.JobId;
import dev.muster.job.JobInfo.Progress;
import dev.muster.job.LogLine;
import dev.muster.job.store.ClaimRef;
import dev.muster.job.store.JobStore.NewLogLine;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.Query;
import dev.muster.postgres.db.Rows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes the progress and log lines of running handlers. */
public final class ProgressAndLogWriter {
    private final Database database;

    public ProgressAndLogWriter(Database database) {
        this.database = database;
    }

    public Set<ClaimRef> progress(Map<ClaimRef, Progress> progress) {
        List<ClaimRef> claims = progress.keySet().stream()
                .sorted((a, b) -> a.id().compareTo(b.id()))
                .toList();
        Query write = database.preparedQuery("jobs/progress")
                .with(p -> p.claims(claims)
                        .column("int2", claims, c -> progress.get(c).percent())
                        .column("text", claims, c -> progress.get(c).message().orElse(null)));
        return database.inTransaction(connection -> new HashSet<>(write.list(connection, Outcomes::claim)));
    }

    public void append(List<NewLogLine> lines) {
        Query write = database.preparedQuery("jobs/log")
                .with(p -> p.uuids(lines.stream().map(l -> l.job().value()).toList())
                        .longs(lines.stream().mapToLong(NewLogLine::agoMillis).toArray())
                        .column("int2", lines, NewLogLine::attempt)
                        .column("text", lines, NewLogLine::level)
                        .column("text", lines, NewLogLine::message));
        database.inTransaction(write::update);
    }

    public List<LogLine> read(JobId id, long afterLine, int limit) {
        Query read = database.query("jobs/read_log")
                .with(p -> p.uuid(id.value()).number(afterLine).number(limit));
        return database.inRawTransaction(connection -> read.list(connection, ProgressAndLogWriter::line));
    }

    private static LogLine line(ResultSet row) throws SQLException {
        return new LogLine(
                row.getLong("line"),
                Rows.instant(row, "at"),
                row.getInt("attempt"),
                row.getString("level"),
                row.getString("message"));
    }
}
