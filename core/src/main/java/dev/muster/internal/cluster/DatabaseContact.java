package dev.muster.internal.cluster;

import dev.muster.config.ClusterConfig;
import dev.muster.runtime.Clock;
import java.time.Duration;

/**
 * Tracks whether this node has been in touch with the database without interruption since its last heartbeat. Each heartbeat
 * reports it: see the package description.
 */
public final class DatabaseContact {
    /** An answer that takes this long means that the database was away, however long the thresholds are. */
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
     * The database has answered one of the statements that this node sends every few seconds.
     *
     * @param asked when the statement was sent; if that was long after the last answer, this node stood still or did not ask
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

    /** This node has joined: its row, with the beginning of its contact, was just written. */
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

    /** What the next heartbeat reports. */
    public synchronized SinceLastHeartbeat sinceLastHeartbeat() {
        return new SinceLastHeartbeat(isUnbroken(), breaks, beatAsked, beatAnswered, limit, clock);
    }

    /**
     * The database has stored a heartbeat.
     *
     * @param told what the heartbeat reported
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

    /** Whether the contact is unbroken. If it is not, the next heartbeat restarts it. */
    public synchronized boolean isUnbroken() {
        return !broken && clock.nanos() - lastAnswer <= gap;
    }

    /** How long ago the database last failed to answer; very long if it never did. */
    public synchronized Duration sinceLost() {
        return everLost ? Duration.ofNanos(clock.nanos() - lastLost) : FOREVER;
    }

    /**
     * What a node knows about the time since its last heartbeat, by its own clock. The elapsed time is read when the next
     * heartbeat is really sent.
     *
     * @param unbroken whether the node was in touch with the database all the time
     * @param breaks how often the node's contact had broken before
     * @param asked when the last heartbeat was sent
     * @param answered when it was answered
     * @param tolerance by how much the database's clock may differ from the node's over that time
     */
    public record SinceLastHeartbeat(
            boolean unbroken, long breaks, long asked, long answered, Duration tolerance, Clock clock) {

        /** The least time that can have passed by the database's clock, unless that clock was set. */
        public Duration atLeast() {
            return Duration.ofNanos(clock.nanos() - answered).minus(tolerance);
        }

        /** The most time that can have passed by the database's clock, unless that clock was set. */
        public Duration atMost() {
            return Duration.ofNanos(clock.nanos() - asked).plus(tolerance);
        }
    }
}
