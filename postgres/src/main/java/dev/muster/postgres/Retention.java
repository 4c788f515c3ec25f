package dev.muster.postgres;

import java.sql.PreparedStatement;

/** Makes room in history for the coming days. */
final class Retention {
    private static final int DAYS_AHEAD = 7;

    private final Database database;

    Retention(Database database) {
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
