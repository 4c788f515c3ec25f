package dev.muster.postgres.internal.access;

import dev.muster.internal.access.ClusterKeyStore;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Query;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** Reads the keys with which nodes sign what they send each other, and makes a new one when the newest is a day old. */
public final class PostgresClusterKeyStore implements ClusterKeyStore {
    private final Database database;

    public PostgresClusterKeyStore(Database database) {
        this.database = database;
    }

    @Override
    public List<ClusterKey> live() {
        return database.inRawTransaction(this::live);
    }

    private List<ClusterKey> live(Connection connection) throws SQLException {
        return database.query("cluster_keys/live").list(connection, PostgresClusterKeyStore::key);
    }

    private static ClusterKey key(ResultSet row) throws SQLException {
        return new ClusterKey(
                row.getLong("number"),
                row.getBytes("secret"),
                Duration.of(row.getLong("signs_us"), ChronoUnit.MICROS),
                Duration.of(row.getLong("left_us"), ChronoUnit.MICROS));
    }

    @Override
    public List<ClusterKey> renew(byte[] secret, Duration signs, Duration accepted) {
        Query make = database.query("cluster_keys/make")
                .with(p -> p.bytes(secret)
                        .number(signs.toMillis())
                        .number(signs.plus(accepted).toMillis()));
        return database.inRawTransaction(connection -> {
            make.update(connection);
            database.query("cluster_keys/forget").update(connection);
            return live(connection);
        });
    }
}
