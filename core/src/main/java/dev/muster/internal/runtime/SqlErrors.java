package dev.muster.internal.runtime;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What core reads from an SQLException. A store translates the errors of its own transactions; these rules are for errors that
 * no store has translated: those of handlers and callers with their own connections, drivers and pools, and the cause of a
 * refusal. No other class of core knows an SQLSTATE.
 */
public final class SqlErrors {
    private static final String CLASS_CONNECTION = "08";

    /** The server is shutting down, has crashed, starts up, or an administrator has ended the session. */
    private static final String SERVER_INTERVENED = "57P";

    private static final String CHECK_VIOLATION = "23514";
    private static final String READ_ONLY = "25006";

    /** Serialization failure and deadlock. */
    private static final Set<String> CONFLICTS = Set.of("40001", "40P01");

    /** Lock timeout, session ended by the server because it was idle in a transaction, server that takes no writes. */
    private static final Set<String> PASSING_STATES = Set.of("55P03", "25P03", SqlErrors.READ_ONLY);

    /** Lost connection, serialization failure or deadlock, out of resources, cancelled by operator or timeout, disk error. */
    private static final Set<String> PASSING_CLASSES = Set.of(CLASS_CONNECTION, "40", "53", "57", "58");

    private SqlErrors() {}

    /** Whether this failure, or one that caused it, is a lost connection. */
    public static boolean causedByLostConnection(Throwable failure) {
        return causedBy(failure, SqlErrors::connectionLost);
    }

    /**
     * Whether this failure, or one that caused it, is a serialization failure or a deadlock: the same transaction may succeed when it is
     * repeated.
     */
    public static boolean causedByConflict(Throwable failure) {
        return causedBy(failure, e -> e.getSQLState() != null && CONFLICTS.contains(e.getSQLState()));
    }

    /** Whether this failure, or one that caused it, comes from a statement or a connection. */
    public static boolean causedBySql(Throwable failure) {
        return causedBy(failure, e -> true);
    }

    /** Whether this failure, or one that caused it, is a write in a transaction that only reads, or on a server that takes no writes. */
    public static boolean causedByReadOnly(Throwable failure) {
        return causedBy(failure, SqlErrors::readOnly);
    }

    private static boolean causedBy(Throwable failure, Predicate<SQLException> kind) {
        Set<Throwable> seen = new HashSet<>();
        for (Throwable e = failure; e != null && seen.add(e); e = e.getCause()) {
            if (e instanceof SQLException sql && kind.test(sql)) {
                return true;
            }
        }
        return false;
    }

    /** Whether this error itself means that the connection is lost. */
    public static boolean connectionLost(SQLException e) {
        String state = e.getSQLState();
        return e instanceof SQLTransientConnectionException
                || e instanceof SQLNonTransientConnectionException
                || e instanceof SQLRecoverableException
                || state != null && (state.startsWith(CLASS_CONNECTION) || state.startsWith(SERVER_INTERVENED))
                || state == null && String.valueOf(e.getMessage()).contains("onnection is closed");
    }

    /** A write in a transaction that only reads, or on a server that takes no writes. */
    public static boolean readOnly(SQLException e) {
        return READ_ONLY.equals(e.getSQLState());
    }

    /** The table has no partition for this row. */
    public static boolean noPartition(SQLException e) {
        return CHECK_VIOLATION.equals(e.getSQLState());
    }

    /** Whether the database refused for a reason that passes by itself and is not the caller's fault. */
    public static boolean refusedForNow(Throwable failure) {
        for (Throwable e = failure; e != null; e = e.getCause()) {
            if (e instanceof SQLException refused) {
                String state = refused.getSQLState();
                return state == null
                        || PASSING_STATES.contains(state)
                        || PASSING_CLASSES.contains(state.substring(0, 2));
            }
        }
        return false;
    }
}
