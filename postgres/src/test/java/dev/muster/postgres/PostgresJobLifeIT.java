package dev.muster.postgres;

import dev.muster.contracts.JobLifeContract;
import dev.muster.job.JobStore;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

class PostgresJobLifeIT extends JobLifeContract {
    private FreshDatabase database;
    private JobStore store;

    @BeforeEach
    void open() {
        database = new FreshDatabase();
        store = database.jobs();
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Override
    protected JobStore store() {
        return store;
    }

    @Override
    protected Connection transaction() throws SQLException {
        return database.transaction();
    }
}
