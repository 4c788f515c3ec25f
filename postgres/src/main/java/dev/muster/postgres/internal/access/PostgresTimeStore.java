package dev.muster.postgres.internal.access;

import dev.muster.internal.access.TimeStore;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.DatabaseErrors;
import dev.muster.postgres.internal.db.Rows;
import java.sql.SQLException;
import java.time.Instant;

/** Reads the clock of the database, by which keys and tickets expire. */
public final class PostgresTimeStore implements TimeStore {
    private final Database database;

    public PostgresTimeStore(Database database) {
        this.database = database;
    }

    @Override
    public Instant now() {
        // It reads no table, so it needs none of the limits that a transaction sets.
        try {
            return database.statement(
                    connection -> database.query("transactions/now").one(connection, row -> Rows.instant(row, "now")));
        } catch (SQLException e) {
            throw DatabaseErrors.translate(e);
        }
    }
}
