package dev.muster.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/**
 * A transaction that stays open with its snapshot: VACUUM can remove nothing of this database that died after it. If it
 * has a number of its own, as one that has written does, looks for passed-by jobs cannot start later and later either.
 */
final class Pin implements AutoCloseable {
    private final Connection connection;

    /** @param writes whether the transaction has also written: others then cannot tell what it will still commit */
    Pin(String url, boolean writes) throws SQLException {
        this.connection = DriverManager.getConnection(url);
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        if (writes) {
            Scratch.number(connection, "select pg_current_xact_id()::text::bigint");
        }
        check();
    }

    /** Fails if the snapshot is not held, or not any more. */
    void check() throws SQLException {
        long held = Scratch.number(
                connection, "select count(backend_xmin) from pg_stat_activity where pid = pg_backend_pid()");
        if (held != 1) {
            throw new IllegalStateException("the snapshot is not held");
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
