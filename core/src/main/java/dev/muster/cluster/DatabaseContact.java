package dev.muster.cluster;

import dev.muster.config.ClusterConfig;
import dev.muster.runtime.Clock;
import java.time.Duration;

/**
 * Whether this node has had the database without an interruption since its last heartbeat. It tells so with each heartbeat:
 * see the package description.
 */
public final class DatabaseContact {
    /** However patient the others are: who waits this long for an answer has waited for the database to come back. */
    private static final Duration LONGEST_ANSWER = Duration.ofSeconds(5);

    private static final Duration SHORTEST_LIMIT = Duration.ofMillis(500);
    private static final Duration FOREVER = Duration.ofDays(36_500);

    private final Clock clock;
    private final Duration limit;
    private final long gap;
    private boolean broken;
    private long breaks;
    private long lastAnswer;
    private long lastLost;
    private boolean everLost;
    private long beatAsked;
    private long beatAnswered;

    public DatabaseContact(Clock clock, ClusterConfig config) {
        this.clock = clock;
        Duration third = config.deadThreshold().dividedBy(3);
        Duration longest = third.compareTo(LONGEST_ANSWER) < 0 ? third : LONGEST_ANSWER;
        this.limit = longest.compareTo(SHORTEST_LIMIT) < 0 ? SHORTEST_LIMIT : longest;
        this.gap = config.heartbeatInterval().plus(limit).toNanos();
        joined(clock.nanos());
    }

    /**
     * The database has answered a question that this node asks every few seconds.
     *
     * @param asked when it was asked; long after the last answer means that this node stood still, or did not ask
     */
    public synchronized void answered(long asked) {
        long now = clock.nanos();
        if (asked - lastAnswer > gap || now - asked > limit.toNanos()) {
            breakOff();
        }
        lastAnswer = now;
    }

    /** The database did not answer, or the connection to it broke. */
    public synchronized void lost() {
        breakOff();
        everLost = true;
        lastLost = clock.nanos();
    }

    private void breakOff() {
        broken = true;
        breaks++;
    }

    /** This node's row was written anew, and with it the beginning of its contact. */
    synchronized void joined(long asked) {
        broken = false;
        written(asked);
    }

    private void written(long asked) {
        long now = clock.nanos();
        beatAsked = asked;
        beatAnswered = now;
        lastAnswer = now;
    }

    /** What a heartbeat tells, that is about to be sent. */
    public synchronized SinceLastHeartbeat sinceLastHeartbeat() {
        return new SinceLastHeartbeat(isUnbroken(), breaks, beatAsked, beatAnswered, limit, clock);
    }

    /**
     * That heartbeat was written.
     *
     * @param asked when it was sent
     */
    synchronized void written(SinceLastHeartbeat told, long asked) {
        if (clock.nanos() - asked > limit.toNanos()) {
            breakOff();
        }
        if (breaks == told.breaks()) {
            broken = false;
        }
        written(asked);
    }

    /** Whether the row of this node says as much as this node knows; if not, its next heartbeat will. */
    public synchronized boolean isUnbroken() {
        return !broken && clock.nanos() - lastAnswer <= gap;
    }

    /** How long ago the database last failed to answer; very long if it never did. */
    public synchronized Duration sinceLost() {
        return everLost ? Duration.ofNanos(clock.nanos() - lastLost) : FOREVER;
    }

    /**
     * What a node knows about the time since its last heartbeat, by its own clock. How long that was is told when the
     * heartbeat is really sent.
     *
     * @param unbroken whether it was in touch all the while
     * @param breaks how often its contact had broken
     * @param asked when the last heartbeat was sent
     * @param answered when it was answered
     * @param tolerance by how much the database's clock may move more or less
     */
    public record SinceLastHeartbeat(
            boolean unbroken, long breaks, long asked, long answered, Duration tolerance, Clock clock) {

        /** The least that the database's clock can have moved since, if nobody set it. */
        public Duration atLeast() {
            return Duration.ofNanos(clock.nanos() - answered).minus(tolerance);
        }

        /** The most that it can have moved. */
        public Duration atMost() {
            return Duration.ofNanos(clock.nanos() - asked).plus(tolerance);
        }
    }
}
