package dev.muster.postgres.internal.jobs;

import dev.muster.job.KnownNames;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Readers;
import dev.muster.postgres.internal.db.Rows;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;

/** Reads which names of jobs and queues occur in the database. */
public final class KnownNamesQuery {
    private static final Duration LIMIT = Duration.ofSeconds(2);

    private final Database database;
    private final Readers readers;

    public KnownNamesQuery(Database database, Readers readers) {
        this.database = database;
        this.readers = readers;
    }

    public KnownNames read() {
        return readers.alongIndexes(LIMIT, connection -> {
            Set<String> jobs = new TreeSet<>();
            Set<String> queues = new TreeSet<>();
            Set<String> usedQueues = new TreeSet<>();
            database.query("names/known").each(connection, row -> {
                Rows.optionalText(row, "name").ifPresent(jobs::add);
                String queue = row.getString("queue");
                if (queue != null) {
                    queues.add(queue);
                    if (row.getBoolean("used")) {
                        usedQueues.add(queue);
                    }
                }
            });
            return new KnownNames(jobs, queues, usedQueues);
        });
    }
}
