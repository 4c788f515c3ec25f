package dev.muster.postgres.internal.jobs;

import dev.muster.job.payload.EncryptionKeyUse;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Rows;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Counts which encryption keys stored values need. Reads all live jobs and runs and, on request, all of history. */
public final class EncryptionKeyUses {
    private final Database database;

    public EncryptionKeyUses(Database database) {
        this.database = database;
    }

    public List<EncryptionKeyUse> list(boolean history) {
        return database.inRawTransaction(connection -> {
            allowTime(connection);
            return database.query("jobs/key_uses")
                    .with(p -> p.flag(history))
                    .list(
                            connection,
                            row -> new EncryptionKeyUse(
                                    Rows.optionalText(row, "kid"),
                                    row.getLong("live_jobs"),
                                    row.getLong("crons"),
                                    row.getLong("live_runs"),
                                    row.getLong("live_graphs"),
                                    row.getLong("idempotency_keys"),
                                    history ? Optional.of(row.getLong("ended_jobs")) : Optional.empty()));
        });
    }

    /** Allows more than the usual 30 s, because reading a large history takes longer. */
    private static void allowTime(Connection connection) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, (int) TimeUnit.MINUTES.toMillis(11));
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL statement_timeout = '10min'");
        }
    }
}
