package dev.muster.postgres.cluster;

import dev.muster.contracts.LockStoreContract;
import dev.muster.lock.LockStore;
import dev.muster.postgres.FreshDatabase;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

@DisabledIfSystemProperty(named = "muster.test.sql", matches = ".+", disabledReason = "moves the clock by itself")
class PostgresLockStoreIT extends LockStoreContract {
    private FreshDatabase database;
    private LockStore store;
    private Duration ahead = Duration.ZERO;

    @BeforeEach
    void open() {
        database = new FreshDatabase();
        store = database.store().locks();
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Override
    protected LockStore store() {
        return store;
    }

    @Override
    protected void advance(Duration by) {
        ahead = ahead.plus(by);
        database.execute("CREATE OR REPLACE FUNCTION muster_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS"
                + " 'SELECT pg_catalog.clock_timestamp() + interval ''" + ahead.toSeconds() + " seconds'''");
    }
}
