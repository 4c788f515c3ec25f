package dev.muster.postgres;

import dev.muster.postgres.internal.FreshDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A test with a database of its own for each method. */
public abstract class OnFreshDatabase {
    protected FreshDatabase database;

    @BeforeEach
    void createDatabase() {
        database = new FreshDatabase();
    }

    @AfterEach
    void closeDatabase() {
        database.close();
    }
}
