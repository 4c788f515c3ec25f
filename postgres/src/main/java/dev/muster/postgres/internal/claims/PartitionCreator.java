package dev.muster.postgres.internal.claims;

import dev.muster.postgres.internal.db.Database;

/** Creates the history partitions of the coming days. */
final class PartitionCreator {
    private static final int DAYS_AHEAD = 7;

    private final Database database;

    PartitionCreator(Database database) {
        this.database = database;
    }

    void prepareDays() {
        database.inRawTransaction(connection -> {
            database.query("jobs/call_prepare_history")
                    .with(p -> p.number(DAYS_AHEAD))
                    .run(connection);
            return null;
        });
    }
}
