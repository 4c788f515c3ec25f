package dev.muster.cli.database;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.config.MusterConfig;
import dev.muster.postgres.PostgresStore;
import dev.muster.postgres.PostgresStoreProvider;
import dev.muster.postgres.jobs.EncryptionKeyUse;
import java.util.List;

/**
 * A command's access to the tables alone. Unlike a {@link Session} it reads and writes no args or results and so needs no
 * encryption keys: people who migrate the tables may not have them.
 */
public final class StoreSession implements AutoCloseable {
    private static final int CONNECTIONS = 2;

    private final HikariDataSource pool;
    private final PostgresStore store;

    private StoreSession(HikariDataSource pool, MusterConfig config) {
        this.pool = pool;
        this.store = (PostgresStore) new PostgresStoreProvider().open(pool, config);
    }

    /** @throws dev.muster.runtime.DatabaseUnavailable if the database cannot be reached */
    public static StoreSession open(MusterConfig config) {
        Connections connections = new Connections(config.database()).check();
        return new StoreSession(connections.pool("muster-cli", CONNECTIONS), config);
    }

    List<String> pendingMigrations() {
        return store.pendingMigrations();
    }

    List<String> migrateUp() {
        return store.migrateUp();
    }

    List<String> grants(String role, boolean readOnly) {
        return store.grants(role, readOnly);
    }

    /** Which encryption keys stored values need; see {@link PostgresStore#keyUses}. */
    public List<EncryptionKeyUse> keyUses(boolean history) {
        return store.keyUses(history);
    }

    @Override
    public void close() {
        pool.close();
    }
}
