package dev.muster.postgres.internal.recovery;

import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Takes back jobs whose lease ran out, according to the notes in {@code muster_claims}. */
public final class LeaseSweep {
    /** Notes per statement; each names up to a thousand jobs. */
    private static final int NOTES = 20;

    /** How many pages of the live table one search for forgotten claims reads: 400 MB. */
    private static final long STRETCH = 50_000;

    private final Database database;
    private final SweepFloors floors;
    private long nextPage = -1;

    public LeaseSweep(Database database, SweepFloors floors) {
        this.database = database;
        this.floors = floors;
    }

    /**
     * Takes back at least this many jobs, if there are that many.
     *
     * @param endedBefore leases that ended later are left alone; null for none
     * @param everything whether to search also for claims without a note, in one stretch of the table after the other
     */
    public List<Recovered> recover(Connection tx, @Nullable Instant endedBefore, int atLeast, boolean everything)
            throws SQLException {
        Long micros = endedBefore == null ? null : ChronoUnit.MICROS.between(Instant.EPOCH, endedBefore);
        if (everything) {
            noteForgottenClaims(tx, micros);
        }
        List<Recovered> recovered = new ArrayList<>();
        int notes;
        do {
            List<String> nodes = new ArrayList<>();
            List<Long> numbers = new ArrayList<>();
            notes = lockOverdue(tx, micros, everything, nodes, numbers);
            if (notes > 0) {
                recovered.addAll(recover(tx, micros, nodes, numbers));
            }
        } while (notes == NOTES && recovered.size() < atLeast);
        return recovered;
    }

    private int lockOverdue(
            Connection tx, @Nullable Long endedBefore, boolean everything, List<String> nodes, List<Long> numbers)
            throws SQLException {
        try (PreparedStatement statement = Statements.prepare(tx, database.sql("jobs/overdue_claims"))) {
            ResultSet rows = new Params(statement)
                    .optional(endedBefore)
                    .optional(everything ? Long.valueOf(0) : floors.leases())
                    .number(NOTES)
                    .query();
            while (rows.next()) {
                nodes.add(rows.getString(1));
                numbers.add(rows.getLong(2));
            }
        }
        return nodes.size();
    }

    private List<Recovered> recover(Connection tx, @Nullable Long endedBefore, List<String> nodes, List<Long> numbers)
            throws SQLException {
        try (PreparedStatement statement = Statements.prepare(tx, database.sql("jobs/requeue_expired"))) {
            return RecoveredRows.read(new Params(statement)
                    .optional(endedBefore)
                    .texts(nodes)
                    .longs(numbers.stream().mapToLong(Long::longValue).toArray())
                    .query());
        }
    }

    private synchronized void noteForgottenClaims(Connection tx, @Nullable Long endedBefore) throws SQLException {
        long pages = pages(tx);
        // A new leader starts at a random stretch, so that every stretch is searched however often the leader changes.
        long from = nextPage < 0 ? STRETCH * ThreadLocalRandom.current().nextLong(pages / STRETCH + 1) : nextPage;
        if (from >= pages) {
            from = 0;
        }
        try (PreparedStatement statement = Statements.prepare(tx, database.sql("jobs/note_expired_claims"))) {
            new Params(statement)
                    .text("(" + from + ",0)")
                    .text("(" + (from + STRETCH) + ",0)")
                    .optional(endedBefore);
            statement.executeUpdate();
        }
        nextPage = from + STRETCH;
    }

    private long pages(Connection tx) throws SQLException {
        return database.preparedQuery("jobs/pages").one(tx, row -> row.getLong(1));
    }
}
