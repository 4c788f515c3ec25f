package dev.muster.postgres.claims;

import dev.muster.job.JobInfo.Progress;
import dev.muster.job.store.ClaimRef;
import dev.muster.job.store.ClaimStore.NewLogLine;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.Params;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What handlers say while they run: progress and log lines. */
final class ProgressAndLogWriter {
    private final Database database;

    ProgressAndLogWriter(Database database) {
        this.database = database;
    }

    Set<ClaimRef> progress(Map<ClaimRef, Progress> progress) {
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

    void append(List<NewLogLine> lines) {
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
}
