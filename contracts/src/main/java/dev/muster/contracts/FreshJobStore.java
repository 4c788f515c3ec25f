package dev.muster.contracts;

import dev.muster.job.store.JobStore;
import java.sql.Connection;
import java.sql.SQLException;

/** A store of jobs with nothing in it, and the database that is its own. */
public interface FreshJobStore extends AutoCloseable {

    JobStore jobs();

    /** A connection to the store's database that is not in autocommit mode. */
    Connection transaction() throws SQLException;

    @Override
    void close();
}
