package dev.muster.postgres.internal.claims;

import dev.muster.postgres.internal.db.Database;

/**
 * The jobs of a queue that were claimed before it had a limit. Their notes do not name the queue, so they are noted again: what can be seen
 * by the transaction that sets the limit, and then twice what could not be seen. The row of the queue says so until it is done, and whoever
 * claims from the queue does it, so nothing is left uncounted if the program that has set the limit ends.
 */
public final class EarlierClaims {
    private final Database database;

    public EarlierClaims(Database database) {
        this.database = database;
    }

    /** Notes them, if it is time. Returns whether claims from this queue need not wait for that any more. */
    public boolean note(String queue) {
        return database.inTransaction(connection -> {
            Owed owed = database.query("queues/lock_uncounted")
                    .with(p -> p.text(queue))
                    .first(connection, row -> new Owed(row.getBoolean("now"), row.getBoolean("waits")))
                    .orElse(Owed.NOTHING);
            if (owed.now) {
                database.query("queues/note_running").with(p -> p.text(queue)).update(connection);
                database.query("queues/noted").with(p -> p.text(queue)).update(connection);
            }
            return owed.now || !owed.waits;
        });
    }

    private record Owed(boolean now, boolean waits) {
        static final Owed NOTHING = new Owed(false, false);
    }
}
