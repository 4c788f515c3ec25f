package dev.muster.postgres;

import dev.muster.runtime.Clock;
import java.util.concurrent.TimeUnit;

/**
 * Tells whether the database is busy enough with other nodes. Two exchanges of a node at once keep it busy while one of
 * them waits for a commit; where several nodes claim and their exchanges take their time, the others see to that, and a
 * second exchange of each only makes all of them wait for each other; see docs/adr/0021.
 *
 * <p>All nodes have to agree: whoever makes two exchanges at once among nodes that make one takes twice its share. So one
 * that finds the database slow says so in the notes of its claims, and the others follow it.
 */
final class Crowd {
    private static final int NODES = 3;
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A processor of the server's own takes about half of that for a job. */
    private static final double SLOW_NANOS_PER_JOB = TimeUnit.MICROSECONDS.toNanos(90);

    /** Less than half of the other: with half as many exchanges under way, each is done in half the time. */
    private static final double FAST_NANOS_PER_JOB = TimeUnit.MICROSECONDS.toNanos(40);

    /** With smaller ones, what takes long is waiting for the commit or the network, not for a processor. */
    private static final int LARGE_EXCHANGE = 200;

    private final Clock clock;
    private long begun;
    private long jobs;
    private int exchanges;
    private long nanos;
    private boolean slow;

    Crowd(Clock clock) {
        this.clock = clock;
        this.begun = clock.nanos();
    }

    /** Whether this node finds the database slow, which the others should know. */
    synchronized boolean isSlow() {
        return slow;
    }

    /**
     * @param nodes that hold claims, with this one
     * @param slowNodes those that find the database slow
     */
    synchronized boolean isCrowded(int nodes, int slowNodes) {
        return nodes >= NODES && (slow || slowNodes > 0);
    }

    /**
     * Records an exchange.
     *
     * @param handled jobs that it claimed or ended, whichever are more
     */
    synchronized void exchanged(int handled, long took) {
        exchanges++;
        jobs += handled;
        nanos += took;
        if (clock.nanos() - begun >= WINDOW_NANOS) {
            double limit = slow ? FAST_NANOS_PER_JOB : SLOW_NANOS_PER_JOB;
            slow = jobs >= (long) LARGE_EXCHANGE * exchanges && nanos > limit * jobs;
            begun = clock.nanos();
            jobs = 0;
            exchanges = 0;
            nanos = 0;
        }
    }
}
