package dev.muster.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** A transaction that stays open with its snapshot: VACUUM can remove nothing of this database that died after it. */
final class Pin implements AutoCloseable {
    private final Connection connection;

    Pin(String url) throws SQLException {
        this.connection = DriverManager.getConnection(url);
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
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
