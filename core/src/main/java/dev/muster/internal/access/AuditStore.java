package dev.muster.internal.access;

import dev.muster.access.AuditEntry;
import dev.muster.access.AuditQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** The audit of the cluster. An entry is committed before the action begins, so that no action is without one. */
public interface AuditStore {

    /** The outcome of an action that was done. */
    String DONE = "done";

    /**
     * Writes an entry without an outcome.
     *
     * @return the id of the entry; later entries have higher ids
     */
    long begin(NewAuditEntry entry);

    /**
     * Writes what became of the action. If the entry has an outcome already, or was removed, nothing is changed.
     *
     * @param outcome {@code done}, {@code refused: …}, {@code failed: …} or {@code unknown: …}; 1,000 characters are kept
     */
    void end(long id, String outcome);

    /** Removes the entry of an action that was refused, and so changed nothing. If it has an outcome already, it stays. */
    void remove(long id);

    /** The newest first. */
    List<AuditEntry> list(AuditQuery query);

    /**
     * Removes some entries that are older than this.
     *
     * @return whether there may be more
     */
    boolean forget(Connection tx, Duration retain) throws SQLException;
}
