package dev.muster.postgres.internal.claims;

import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.StatementPart;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Keeps one claim within the limit of its queue: locks the queue, counts the places that are used, and lets the claim take no
 * more than are free. The lock lasts until the transaction ends.
 */
final class QueueRoom {
    private final String queue;
    private final NotesSeen seen;
    private final int free;
    private boolean locked;
    private boolean jobsEndedLater;
    private boolean owesNotes;
    private boolean waitsForClaims;
    private int room;
    private int allowed;
    private NotesSeen nextSeen;
    private Duration untilRate = Duration.ZERO;
    private boolean rateUsedUp;

    /** @param free how many of the jobs would start at once; more are claimed only if many places are free */
    QueueRoom(String queue, NotesSeen seen, int free) {
        this.queue = queue;
        this.seen = seen;
        this.free = free;
        this.nextSeen = seen;
    }

    String queue() {
        return queue;
    }

    /** The statements that come before the claim, in the same round trip. */
    List<StatementPart> parts(Database database) {
        return List.of(
                new StatementPart(database.sql("jobs/lock_queue"), params -> params.text(queue), this::readLock),
                new StatementPart(
                        database.sql("jobs/queue_room"),
                        params -> params.text(String.format(Locale.ROOT, "%08X", seen.walTimeline()))
                                .longs(seen.held().stream()
                                        .mapToLong(Long::longValue)
                                        .toArray())
                                .number(seen.upTo())
                                .number(free),
                        this::readRoom));
    }

    private void readLock(PreparedStatement statement) throws SQLException {
        ResultSet rows = StatementPart.rows(statement);
        rows.next();
        locked = rows.getBoolean("locked");
    }

    private void readRoom(PreparedStatement statement) throws SQLException {
        ResultSet rows = StatementPart.rows(statement);
        if (!rows.next()) {
            return;
        }
        room = rows.getInt("room");
        allowed = rows.getInt("allowed");
        nextSeen = new NotesSeen(seen.walTimeline(), rows.getLong("up_to"), List.of((Long[])
                rows.getArray("held").getArray()));
        owesNotes = rows.getBoolean("notes_owed");
        waitsForClaims = rows.getBoolean("waits_for_claims");
        int byRate = rows.getInt("by_rate");
        rateUsedUp = !rows.wasNull() && byRate <= room;
        untilRate = Duration.ofMillis(rows.getLong("until_rate_ms"));
    }

    /** The transaction has ended jobs after it counted: their places were not seen as free. */
    void jobsEndedLater() {
        jobsEndedLater = true;
    }

    /**
     * Whether this transaction had the lock and counted every place that is used. Without the lock it has claimed nothing, nor while
     * jobs may run that were claimed before the queue had a limit and are not noted yet.
     */
    boolean hasCounted() {
        return locked && !jobsEndedLater && !waitsForClaims;
    }

    /** Whether jobs that were claimed before the queue had a limit have to be noted now. */
    boolean owesNotes() {
        return owesNotes;
    }

    /** How many places were free, or how many jobs the rate allowed. */
    int size() {
        return room;
    }

    /** How many jobs the claim could take. */
    int allowed() {
        return allowed;
    }

    /** Whether the rate, and not the number of running jobs, is what kept the room small. */
    boolean limitedByRate() {
        return rateUsedUp;
    }

    /** When the rate allows more jobs. */
    Duration untilRate() {
        return untilRate;
    }

    /** @param walTimeline of the server that has answered */
    NotesSeen nextSeen(long walTimeline) {
        return locked ? new NotesSeen(walTimeline, nextSeen.upTo(), nextSeen.held()) : seen;
    }
}
