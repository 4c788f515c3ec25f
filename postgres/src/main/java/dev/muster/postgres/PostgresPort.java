package dev.muster.postgres;

import dev.muster.postgres.db.ControlConnection;
import dev.muster.postgres.db.Database;

/**
 * Opens the port to the tables of one subsystem. {@link PostgresStore} lists those of Muster's own subsystems; those of other jars
 * are found with {@link java.util.ServiceLoader}.
 *
 * @param <P> the interface through which the subsystem uses its tables
 */
public interface PostgresPort<P> {

    Class<P> type();

    /** @param control for statements that must not wait for a connection from the pool */
    P open(Database database, ControlConnection control);
}
