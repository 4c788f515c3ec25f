package dev.muster.postgres.internal;

import dev.muster.postgres.internal.db.ControlConnection;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Readers;

/**
 * Opens the port to the tables of one subsystem. {@link PostgresStore} lists those of Muster's own subsystems; those of other jars
 * are found with {@link java.util.ServiceLoader}.
 *
 * @param <P> the interface through which the subsystem uses its tables
 */
public interface PostgresPort<P> {

    Class<P> type();

    P open(Context context);

    /**
     * What a port may use.
     *
     * @param readers for what people read, on a standby if {@code database.read_url} names one
     * @param control for statements that must not wait for a connection from the pool
     */
    record Context(Database database, Readers readers, ControlConnection control) {}
}
