package dev.muster.postgres.jobs;

import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.Params;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Counts which encryption keys stored values need. Reads all live jobs, and all of history if it is asked to. */
public final class EncryptionKeyUses {
    private final Database database;

    public EncryptionKeyUses(Database database) {
        this.database = database;
    }

    public List<EncryptionKeyUse> list(boolean history) {
        return database.inRawTransaction(connection -> {
            allowTime(connection);
            try (PreparedStatement statement = connection.prepareStatement(database.sql("jobs/key_uses"))) {
                ResultSet rows = new Params(statement).flag(history).query();
                List<EncryptionKeyUse> uses = new ArrayList<>();
                while (rows.next()) {
                    uses.add(new EncryptionKeyUse(
                            Optional.ofNullable(rows.getString("kid")),
                            rows.getLong("live_jobs"),
                            rows.getLong("crons"),
                            rows.getLong("idempotency_keys"),
                            history ? Optional.of(rows.getLong("ended_jobs")) : Optional.empty()));
                }
                return uses;
            }
        });
    }

    /** A person waits for the answer: a large history is read for longer than 30 s. */
    private static void allowTime(Connection connection) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, (int) TimeUnit.MINUTES.toMillis(11));
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL statement_timeout = '10min'");
        }
    }
}
