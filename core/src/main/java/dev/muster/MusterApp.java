package dev.muster;

import javax.sql.DataSource;

/** An application that a node started from the command line can load; found in its jar by {@link java.util.ServiceLoader}. */
@FunctionalInterface
public interface MusterApp {

    /**
     * Adds the application's handlers.
     *
     * @param database connections for the application's own tables, in the database that Muster uses
     */
    void register(Muster.Builder node, DataSource database);
}
