package dev.muster.postgres.access;

import dev.muster.access.TimeStore;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.DatabaseErrors;
import dev.muster.postgres.db.Rows;
import java.sql.SQLException;
import java.time.Instant;

/** The clock of PostgreSQL. */
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
