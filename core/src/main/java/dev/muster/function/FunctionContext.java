package dev.muster.function;

import dev.muster.access.Caller;
import java.sql.Connection;
import java.sql.SQLException;

/** What every function can ask and use while it runs. It must not be used after the function has returned. */
public interface FunctionContext {

    /** Who calls. */
    Caller caller();

    /** The id of the request, for logs. */
    String requestId();

    /**
     * The connection of the call's transaction, which is opened by the first use. Muster commits it or rolls it back, and closes it:
     * {@code close()} does nothing, and the connection refuses {@code commit()} and {@code rollback()}. Savepoints work.
     *
     * @throws SQLException if the database cannot be reached
     */
    Connection connection() throws SQLException;

    /** Whether the time of the call is over. The thread was interrupted then, too. */
    boolean isCancelled();
}
