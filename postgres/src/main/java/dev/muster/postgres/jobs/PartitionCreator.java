package dev.muster.postgres.jobs;

import dev.muster.postgres.db.Database;

/** Creates the history partitions of the coming days. */
public final class PartitionCreator {
    private static final int DAYS_AHEAD = 7;

    private final Database database;

    PartitionCreator(Database database) {
        this.database = database;
    }

    void prepareDays() {
        database.inRawTransaction(connection -> {
            database.query("jobs/prepare_history")
                    .with(p -> p.number(DAYS_AHEAD))
                    .run(connection);
            return null;
        });
    }
}
