package dev.muster.postgres.internal;

import dev.muster.postgres.OnFreshDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A test of the store: each method has a database of its own, and a store on it. */
public abstract class StoreOnFreshDatabase extends OnFreshDatabase {
    protected PostgresStore store;

    @BeforeEach
    void openStore() {
        store = database.store();
    }

    @AfterEach
    void closeStore() {
        store.close();
    }
}
