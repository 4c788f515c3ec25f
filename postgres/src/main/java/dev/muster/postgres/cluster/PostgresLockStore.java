package dev.muster.postgres.cluster;

import dev.muster.job.Fence;
import dev.muster.lock.LockInfo;
import dev.muster.lock.LockStore;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.Params;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Locks in PostgreSQL. */
public final class PostgresLockStore implements LockStore {
    private final Database database;
    private final String table;
    private final String clock;

    public PostgresLockStore(Database database) {
        this.database = database;
        this.table = database.schema() + ".muster_locks";
        this.clock = database.schema() + ".muster_clock()";
    }

    @Override
    public Optional<Fence> acquire(String name, String node, Duration ttl) {
        return database.inRawTransaction(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql("locks/acquire"))) {
                new Params(statement).text(name).text(node).number(ttl.toMillis());
                ResultSet rows = statement.executeQuery();
                return rows.next() ? Optional.of(fence(rows)) : Optional.<Fence>empty();
            }
        });
    }

    /** From the columns token and timeline. */
    static Fence fence(ResultSet rows) throws SQLException {
        return new Fence(rows.getLong("timeline"), rows.getLong("token"));
    }

    @Override
    public boolean renew(String name, long token, Duration ttl) {
        return update(
                "UPDATE " + table + " SET expires_at = " + clock
                        + " + ? * interval '1 millisecond' WHERE lock_name = ? AND token = ? AND expires_at > " + clock,
                ttl.toMillis(),
                name,
                token);
    }

    /** The row stays, expired: see locks/acquire.sql. */
    @Override
    public boolean release(String name, long token) {
        return update(
                "UPDATE " + table + " SET expires_at = " + clock
                        + " - ? * interval '1 millisecond' WHERE lock_name = ? AND token = ? AND expires_at > " + clock,
                0,
                name,
                token);
    }

    private boolean update(String sql, long millis, String name, long token) {
        return database.inRawTransaction(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                new Params(statement).number(millis).text(name).number(token);
                return statement.executeUpdate() == 1;
            }
        });
    }

    @Override
    public List<LockInfo> list() {
        String sql = "SELECT lock_name, owner_node, locked_at, expires_at, token FROM " + table + " WHERE expires_at > "
                + clock + " ORDER BY lock_name";
        return database.inRawTransaction(connection -> {
            List<LockInfo> locks = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                ResultSet rows = statement.executeQuery();
                while (rows.next()) {
                    locks.add(new LockInfo(
                            rows.getString("lock_name"),
                            rows.getString("owner_node"),
                            rows.getObject("locked_at", OffsetDateTime.class).toInstant(),
                            rows.getObject("expires_at", OffsetDateTime.class).toInstant(),
                            rows.getLong("token")));
                }
            }
            return locks;
        });
    }
}
