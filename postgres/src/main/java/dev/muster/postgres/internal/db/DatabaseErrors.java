package dev.muster.postgres.internal.db;

import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.OutcomeUnknown;
import dev.muster.runtime.ReadTookTooLong;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Translates errors of the database into Muster's exceptions. */
public final class DatabaseErrors {

    private DatabaseErrors() {}

    /** No connection could be obtained, so it is certain that nothing was written. */
    public static final class NotConnected extends SQLException {
        private static final long serialVersionUID = 1L;

        NotConnected(SQLException cause) {
            super(cause.getMessage(), SqlStates.orElse(cause, SqlStates.CANNOT_CONNECT), cause);
        }
    }

    /** The connection broke after a commit was sent, so it is not known whether anything was written. */
    static final class CommitLost extends SQLException {
        private static final long serialVersionUID = 1L;

        CommitLost(SQLException cause) {
            super(cause.getMessage(), SqlStates.orElse(cause, SqlStates.COMMIT_UNKNOWN), cause);
        }
    }

    /** The server takes no writes, for the reason in the message. */
    static final class TakesNoWrites extends SQLException {
        private static final long serialVersionUID = 1L;
        private static final String READ_ONLY = "the database takes no writes: default_transaction_read_only is on, for"
                + " the server, the database or the role; this node continues when it is off";

        TakesNoWrites(boolean standby) {
            super(standby ? aboutStandby("it is in recovery") : READ_ONLY, SqlStates.READ_ONLY);
        }
    }

    /** A statement that people wait for did not end in time. */
    public static final class TookTooLong extends ReadTookTooLong {
        private static final long serialVersionUID = 1L;

        public TookTooLong(Duration limit, @Nullable Throwable cause) {
            super(
                    "the database did not answer within " + limit.toSeconds()
                            + " s: it is busy, somebody holds a lock (pg_locks"
                            + " shows who), or a transaction that stays open keeps it from removing dead rows (see"
                            + " docs/running.md)",
                    cause);
        }
    }

    public static MusterException translate(SQLException e) {
        if (e instanceof CommitLost) {
            return new OutcomeUnknown(
                    "the connection to the database broke during the commit, so this may or may not have been done ("
                            + rootMessage(e) + "); look before you repeat it",
                    e);
        }
        if (SqlStates.takesNoWrites(e)) {
            return new DatabaseUnavailable(whyNoWrites(e), e);
        }
        if (SqlStates.connectionLost(e) || e instanceof NotConnected) {
            return new DatabaseUnavailable("the database cannot be reached: " + rootMessage(e), e);
        }
        if (SqlStates.sessionsMixedUp(e)) {
            return poolerInBetween(e);
        }
        if (SqlStates.notMigrated(e)) {
            return new MusterException(
                    "Muster's tables are missing or older than this program (" + e.getMessage()
                            + "); a node creates them when it starts, with start() in Java, if database.migrate is auto; or run 'muster"
                            + " migrate up'",
                    e);
        }
        return new MusterException(
                "the database refused a statement (SQLSTATE " + e.getSQLState() + "): " + e.getMessage(), e);
    }

    /** The error for a pooler in transaction mode, however it was detected. */
    static MusterException poolerInBetween(@Nullable SQLException cause) {
        return new MusterException(
                "a pooler in transaction mode stands before the database: sessions change between transactions, so"
                        + " leader.strategy = advisory, worker.wakeup = postgres and prepared statements cannot work;"
                        + " set database.profile = portable, or let database.url name the server itself",
                cause);
    }

    private static String whyNoWrites(SQLException e) {
        if (e instanceof TakesNoWrites || e.getCause() instanceof TakesNoWrites) {
            return String.valueOf(e.getMessage());
        }
        return SqlStates.standby(e)
                ? aboutStandby(e.getMessage())
                : "the database takes no writes (" + e.getMessage() + "): it is a standby, or"
                        + " default_transaction_read_only is on";
    }

    private static String aboutStandby(String detail) {
        return "the database is a standby and takes no writes (" + detail
                + "); name every host in database.url, and the primary among them is found";
    }

    /** The innermost SQLException names the server; its cause says why, without the address. */
    static String rootMessage(SQLException e) {
        String message = String.valueOf(e.getMessage());
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
            if (root instanceof SQLException && root.getMessage() != null) {
                message = root.getMessage();
            }
        }
        return root instanceof SQLException ? message : message + " (" + root + ")";
    }
}
