package dev.muster.postgres.internal.cluster;

import dev.muster.internal.lock.LockStore;
import dev.muster.job.Fence;
import dev.muster.lock.LockInfo;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Query;
import dev.muster.postgres.internal.db.Readers;
import dev.muster.postgres.internal.db.Rows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Takes, renews and releases locks, each with a fence that grows. */
public final class PostgresLockStore implements LockStore {
    private static final Duration LIST_LIMIT = Duration.ofSeconds(30);

    private final Database database;
    private final Readers readers;

    public PostgresLockStore(Database database, Readers readers) {
        this.database = database;
        this.readers = readers;
    }

    @Override
    public Optional<Fence> acquire(String name, String node, Duration ttl) {
        Query acquire = database.query("locks/acquire")
                .with(p -> p.text(name).text(node).number(ttl.toMillis()));
        return database.inRawTransaction(connection -> acquire.first(connection, PostgresLockStore::fence));
    }

    /** The fence from the columns token and timeline. */
    static Fence fence(ResultSet rows) throws SQLException {
        return new Fence(rows.getLong("timeline"), rows.getLong("token"));
    }

    @Override
    public boolean renew(String name, long token, Duration ttl) {
        return update(database.query("locks/renew")
                .with(p -> p.number(ttl.toMillis()).text(name).number(token)));
    }

    @Override
    public boolean release(String name, long token) {
        return update(database.query("locks/release").with(p -> p.text(name).number(token)));
    }

    private boolean update(Query query) {
        return database.inRawTransaction(connection -> query.update(connection) == 1);
    }

    @Override
    public List<LockInfo> list() {
        return readers.asPlanned(
                LIST_LIMIT, connection -> database.query("locks/list").list(connection, PostgresLockStore::lock));
    }

    private static LockInfo lock(ResultSet row) throws SQLException {
        return new LockInfo(
                row.getString("lock_name"),
                row.getString("owner_node"),
                Rows.instant(row, "locked_at"),
                Rows.instant(row, "expires_at"),
                row.getLong("token"));
    }
}
