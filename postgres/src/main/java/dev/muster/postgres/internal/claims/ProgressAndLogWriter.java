package dev.muster.postgres.internal.claims;

import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimStore.NewLogLine;
import dev.muster.job.JobInfo.Progress;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Query;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes the progress and log lines of running handlers. */
final class ProgressAndLogWriter {
    private final Database database;

    ProgressAndLogWriter(Database database) {
        this.database = database;
    }

    Set<ClaimRef> progress(Map<ClaimRef, Progress> progress) {
        List<ClaimRef> claims = progress.keySet().stream()
                .sorted((a, b) -> a.id().compareTo(b.id()))
                .toList();
        Query write = database.preparedQuery("jobs/progress")
                .with(p -> p.claims(claims)
                        .column("int2", claims, c -> progress.get(c).percent())
                        .column("text", claims, c -> progress.get(c).message().orElse(null)));
        return database.inTransaction(connection -> new HashSet<>(write.list(connection, Outcomes::claim)));
    }

    void append(List<NewLogLine> lines) {
        Query write = database.preparedQuery("jobs/log")
                .with(p -> p.uuids(lines.stream().map(l -> l.job().value()).toList())
                        .longs(lines.stream().mapToLong(NewLogLine::agoMillis).toArray())
                        .column("int2", lines, NewLogLine::attempt)
                        .column("text", lines, NewLogLine::level)
                        .column("text", lines, NewLogLine::message));
        database.inTransaction(write::update);
    }
}
