package dev.muster.postgres.internal.recovery;

import dev.muster.internal.job.store.RecoveryStore;
import dev.muster.job.ExpiredJob;
import dev.muster.job.JobId;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Takes jobs back from nodes that are gone, and ends jobs that nobody claimed in time. */
public final class PostgresRecoveryStore implements RecoveryStore {
    private final Database database;
    private final LeaseSweep sweep;
    private final SweepFloors floors;

    public PostgresRecoveryStore(Database database, SweepFloors floors) {
        this.database = database;
        this.sweep = new LeaseSweep(database, floors);
        this.floors = floors;
    }

    @Override
    public List<Recovered> recoverExpired(Connection tx, @Nullable Instant endedBefore, int atLeast, boolean everything)
            throws SQLException {
        return sweep.recover(tx, endedBefore, atLeast, everything);
    }

    @Override
    public List<ExpiredJob> expire(Connection tx, int limit, boolean everything) throws SQLException {
        Long floor = everything ? null : floors.expiry();
        List<ExpiredJob> expired = new ArrayList<>();
        try (PreparedStatement statement = Statements.prepare(tx, database.sql("jobs/expire"))) {
            ResultSet rows = new Params(statement)
                    .number(floor == null ? 0 : floor)
                    .number(limit)
                    .query();
            while (rows.next()) {
                expired.add(new ExpiredJob(
                        new JobId(rows.getObject("id", UUID.class)),
                        rows.getString("name"),
                        rows.getString("queue"),
                        rows.getInt("attempt")));
            }
        }
        return expired;
    }

    @Override
    public Overdue searchOverdue() {
        return database.inTransaction(connection -> {
            try (PreparedStatement statement = Statements.prepare(connection, database.sql("jobs/overdue"))) {
                ResultSet rows = statement.executeQuery();
                rows.next();
                boolean expired = rows.getBoolean("expired");
                UUID waiting = rows.getObject("waiting", UUID.class);
                long micros = rows.getLong("asked_micros");
                if (!expired) {
                    floors.noneExpired(micros);
                }
                floors.waiting().found(waiting, micros / 1_000);
                return new Overdue(expired, waiting != null);
            }
        });
    }

    @Override
    public List<Recovered> recoverAll() {
        database.inRawTransaction(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql("jobs/expire_all_leases"))) {
                return statement.executeUpdate();
            }
        });
        List<Recovered> recovered = new ArrayList<>();
        List<Recovered> some;
        do {
            some = database.inTransaction(tx -> recoverExpired(tx, 1_000, false));
            recovered.addAll(some);
        } while (some.size() >= 1_000);
        return recovered;
    }
}
