package dev.muster.postgres.claims;

import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.Params;
import java.sql.PreparedStatement;

/** Makes room in history for the coming days. */
final class PartitionCreator {
    private static final int DAYS_AHEAD = 7;

    private final Database database;

    PartitionCreator(Database database) {
        this.database = database;
    }

    void prepareDays() {
        database.inRawTransaction(connection -> {
            // Whoever analyzes the table holds its lock for long; a few seconds later will do.
            String sql = "SELECT set_config('lock_timeout', '2s', true), " + database.schema()
                    + ".muster_prepare_history(?)";
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                new Params(statement).number(DAYS_AHEAD);
                statement.execute();
                return null;
            }
        });
    }
}
