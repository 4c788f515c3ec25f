package dev.muster.contracts;

import dev.muster.job.store.JobStore;
import java.sql.Connection;
import java.sql.SQLException;

/** An empty store of jobs with its own database. */
public interface FreshJobStore extends AutoCloseable {

    JobStore jobs();

    /** A connection to the store's database that is not in autocommit mode. */
    Connection transaction() throws SQLException;

    @Override
    void close();
}
