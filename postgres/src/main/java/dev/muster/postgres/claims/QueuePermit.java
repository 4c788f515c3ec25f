package dev.muster.postgres.claims;

import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.StatementPart;
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
final class QueuePermit {
    private final String queue;
    private final Floor floor;
    private final int free;
    private boolean locked;
    private boolean jobsEndedLater;
    private int room;
    private int allowed;
    private Floor nextFloor;
    private Duration untilRate = Duration.ZERO;
    private boolean rateUsedUp;

    /**
     * The first note that may still count.
     *
     * @param walTimeline the timeline on which this was learned; on another one nothing is known
     */
    record Floor(long walTimeline, long batch) {
        static final Floor UNKNOWN = new Floor(-1, 0);
    }

    /** @param free how many of the jobs would start at once; more are claimed only if many places are free */
    QueuePermit(String queue, Floor floor, int free) {
        this.queue = queue;
        this.floor = floor;
        this.free = free;
        this.nextFloor = floor;
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
                        params -> params.text(String.format(Locale.ROOT, "%08X", floor.walTimeline()))
                                .number(floor.batch())
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
        nextFloor = new Floor(floor.walTimeline(), rows.getLong("floor"));
        int byRate = rows.getInt("by_rate");
        rateUsedUp = !rows.wasNull() && byRate <= room;
        untilRate = Duration.ofMillis(rows.getLong("until_rate_ms"));
    }

    /** The transaction has ended jobs after it counted: their places were not seen as free. */
    void jobsEndedLater() {
        jobsEndedLater = true;
    }

    /** Whether this transaction had the lock and counted every place that it freed. Without the lock it has claimed nothing. */
    boolean hasCounted() {
        return locked && !jobsEndedLater;
    }

    /** How many places were free, or how many jobs the rate allowed. */
    int room() {
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
    Floor nextFloor(long walTimeline) {
        return locked ? new Floor(walTimeline, nextFloor.batch()) : floor;
    }
}
