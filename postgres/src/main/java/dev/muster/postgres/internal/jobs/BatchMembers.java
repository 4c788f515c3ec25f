package dev.muster.postgres.internal.jobs;

import dev.muster.internal.job.store.NewJob;
import dev.muster.job.BatchId;
import dev.muster.job.InvalidJob;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Rows;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/** Keeps batches from being closed while jobs are added to them. */
final class BatchMembers {
    private final Database database;

    BatchMembers(Database database) {
        this.database = database;
    }

    /** Holds the batches of these jobs until the transaction ends; returns those to which jobs can be added. */
    Set<UUID> hold(Connection connection, List<NewJob> jobs) throws SQLException {
        List<UUID> batches = jobs.stream()
                .map(NewJob::batch)
                .filter(Objects::nonNull)
                .map(BatchId::value)
                .distinct()
                .toList();
        return batches.isEmpty()
                ? Set.of()
                : new HashSet<>(database.preparedQuery("batches/hold")
                        .with(p -> p.uuids(batches))
                        .list(connection, Rows::id));
    }

    /**
     * Refuses jobs that were added to a batch that is not held. Jobs that had been added before are none of these: their batch may have
     * been closed since.
     */
    static void check(Set<UUID> held, List<NewJob> added) {
        for (NewJob job : added) {
            BatchId batch = job.batch();
            if (batch != null && !held.contains(batch.value())) {
                throw new InvalidJob("job '" + job.name() + "' cannot be added to batch " + batch
                        + ": the batch is closed or cancelled, or there is none with this id; create it first, and add jobs before it is sealed,"
                        + " or from a job that belongs to it");
            }
        }
    }
}
