package dev.muster.contracts.internal;

import dev.muster.internal.provider.Store;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** A database of a test's own, with nothing in it, and the stores of the nodes that use it. */
public interface FreshStore extends AutoCloseable {

    /** The store of the first node, connected; the same one for each call. */
    Store store();

    /** The store of one more node, connected, with sessions of its own. */
    Store anotherNode();

    /** Ends the sessions of another node as the end of its process would. */
    void kill(Store node);

    /** Moves the clock by which the database decides. */
    void advance(Duration by);

    /** Stops that clock: from now on only {@link #advance} moves it. */
    void stopClock();

    /** A connection to the database that is not in autocommit mode. */
    Connection transaction() throws SQLException;

    @Override
    void close();
}
