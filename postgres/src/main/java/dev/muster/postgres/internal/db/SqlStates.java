package dev.muster.postgres.internal.db;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the SQLSTATE of an error means to Muster. This is the only class that knows the codes; they are those of PostgreSQL's
 * documentation, appendix A.
 */
public final class SqlStates {
    /** No connection could be made. */
    public static final String CANNOT_CONNECT = "08001";

    /** The connection is closed. */
    public static final String CONNECTION_CLOSED = "08003";

    /** Whether the transaction was committed is not known. */
    public static final String COMMIT_UNKNOWN = "08007";

    /** A write was refused, because the transaction is read-only. */
    public static final String READ_ONLY = "25006";

    /** An earlier statement of the transaction has failed. */
    public static final String FAILED_TRANSACTION = "25P02";

    /** The transaction cannot continue beside another one; repeated, it may. */
    public static final String SERIALIZATION_FAILURE = "40001";

    /** The server takes no connections now; an old primary is refused with the same code. */
    public static final String CANNOT_CONNECT_NOW = "57P03";

    private static final String CLASS_CONNECTION = "08";
    private static final String CLASS_INVALID_VALUE = "22";
    private static final String CLASS_VIOLATED_CONSTRAINT = "23";
    private static final String CLASS_TOO_LARGE = "54";

    /** The server is shutting down, has crashed, starts up, or an administrator has ended the session. */
    private static final String SERVER_INTERVENED = "57P";

    private static final String UNIQUE_VIOLATION = "23505";
    private static final String CHECK_VIOLATION = "23514";
    private static final String IDLE_IN_TRANSACTION_TOO_LONG = "25P03";
    private static final String NO_SUCH_PREPARED_STATEMENT = "26000";
    private static final String NO_SUCH_SCHEMA = "3F000";
    private static final String DEADLOCK = "40P01";
    private static final String NO_PRIVILEGE = "42501";
    private static final String NO_SUCH_COLUMN = "42703";
    private static final String OBJECT_EXISTS = "42710";
    private static final String NO_SUCH_FUNCTION = "42883";
    private static final String NO_SUCH_TABLE = "42P01";
    private static final String PREPARED_STATEMENT_EXISTS = "42P05";
    private static final String SCHEMA_EXISTS = "42P06";
    private static final String TABLE_EXISTS = "42P07";
    private static final String TOO_MANY_CONNECTIONS = "53300";
    private static final String NOT_IN_THIS_STATE = "55000";
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final String QUERY_CANCELED = "57014";

    private static final Set<String> NOT_MIGRATED =
            Set.of(NO_SUCH_SCHEMA, NO_SUCH_TABLE, NO_SUCH_COLUMN, NO_SUCH_FUNCTION);

    private static final Set<String> ALREADY_EXISTS =
            Set.of(UNIQUE_VIOLATION, SCHEMA_EXISTS, TABLE_EXISTS, OBJECT_EXISTS);

    private SqlStates() {}

    /** The connection is of no use any more: it broke, the server ended it, or the server takes no writes. */
    public static boolean connectionLost(SQLException e) {
        return e instanceof SQLTransientConnectionException
                || of(e).startsWith(CLASS_CONNECTION)
                || endedByTheServer(e)
                || takesNoWrites(e)
                || is(e, TOO_MANY_CONNECTIONS);
    }

    /** The connection broke, or the server shut down or ended it; what a caller's transaction does itself is not meant. */
    public static boolean connectionBroke(SQLException e) {
        return of(e).startsWith(CLASS_CONNECTION) || of(e).startsWith(SERVER_INTERVENED);
    }

    /** The server ended this session, which says nothing about other sessions. */
    static boolean endedByTheServer(SQLException e) {
        return of(e).startsWith(SERVER_INTERVENED) || is(e, IDLE_IN_TRANSACTION_TOO_LONG);
    }

    /** The server is a standby, or its sessions are read-only for now. */
    public static boolean takesNoWrites(SQLException e) {
        return is(e, READ_ONLY) || standby(e);
    }

    /** The server is a standby: only a standby cannot tell where its log ends. */
    static boolean standby(SQLException e) {
        return is(e, NOT_IN_THIS_STATE) && String.valueOf(e.getMessage()).contains("recovery");
    }

    /** The server takes no writes, or is an old primary. */
    static boolean wrongServer(SQLException e) {
        return takesNoWrites(e) || is(e, CANNOT_CONNECT_NOW);
    }

    /** A serialization failure or a deadlock: the same transaction may succeed when it is repeated. */
    public static boolean worthRepeating(SQLException e) {
        return serializationFailure(e) || is(e, DEADLOCK);
    }

    public static boolean serializationFailure(SQLException e) {
        return is(e, SERIALIZATION_FAILURE);
    }

    /** A statement took longer than its time limit, or somebody cancelled it. */
    public static boolean timedOut(SQLException e) {
        return is(e, QUERY_CANCELED);
    }

    /** A lock was not granted within the lock timeout, or not at once with NOWAIT. */
    public static boolean lockNotAvailable(SQLException e) {
        return is(e, LOCK_NOT_AVAILABLE);
    }

    /** The table has no partition for this row. */
    public static boolean noPartition(SQLException e) {
        return is(e, CHECK_VIOLATION);
    }

    /** The role lacks a privilege. */
    public static boolean notAllowed(SQLException e) {
        return is(e, NO_PRIVILEGE);
    }

    /** There is no such schema, table, column or function. */
    public static boolean notMigrated(SQLException e) {
        return NOT_MIGRATED.contains(of(e));
    }

    /** Somebody else has created the same thing meanwhile. */
    public static boolean alreadyExists(SQLException e) {
        return ALREADY_EXISTS.contains(of(e));
    }

    /** A prepared statement is there already, or not at all: the session is not the one that it was prepared in. */
    static boolean sessionsMixedUp(SQLException e) {
        return is(e, PREPARED_STATEMENT_EXISTS) || is(e, NO_SUCH_PREPARED_STATEMENT);
    }

    /** PostgreSQL cannot read or represent a value. */
    public static boolean invalidValue(SQLException e) {
        return of(e).startsWith(CLASS_INVALID_VALUE);
    }

    /** A value is invalid, or too large to be stored. */
    public static boolean cannotBeStored(SQLException e) {
        return invalidValue(e) || of(e).startsWith(CLASS_TOO_LARGE);
    }

    /** A constraint refuses the row, or no partition takes it. */
    public static boolean violatesConstraint(SQLException e) {
        return of(e).startsWith(CLASS_VIOLATED_CONSTRAINT);
    }

    /** The error has no code: a pool or the driver reports it, and not the server. */
    public static boolean notFromTheServer(SQLException e) {
        return e.getSQLState() == null;
    }

    /** The error's own code, or this one where it has none. */
    public static String orElse(@Nullable SQLException e, String otherwise) {
        return e == null || e.getSQLState() == null ? otherwise : e.getSQLState();
    }

    private static boolean is(SQLException e, String state) {
        return state.equals(e.getSQLState());
    }

    private static String of(SQLException e) {
        return orElse(e, "");
    }
}
