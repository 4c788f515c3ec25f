package dev.muster.postgres.claims;

import dev.muster.runtime.Clock;
import java.util.concurrent.TimeUnit;

/**
 * Tells whether the database has enough to do with other nodes. Two exchanges of a node at once keep it busy while one of
 * them waits for a commit; where several nodes work off a backlog, the others see to that, and a second exchange of each
 * only makes all of them wait for each other; see docs/adr/0021.
 *
 * <p>Goes by what all nodes see alike: whoever makes two exchanges at once among nodes that make one takes twice its share.
 */
public final class ContentionDetector {
    private static final int NODES = 3;
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** With smaller ones there is no backlog, and what takes long is the commit or the network. */
    private static final int LARGE_EXCHANGE = 200;

    private final Clock clock;
    private long begun;
    private long jobs;
    private long exchanges;
    private boolean large;

    ContentionDetector(Clock clock) {
        this.clock = clock;
        this.begun = clock.nanos();
    }

    /** @param nodes that hold claims, with this one */
    synchronized boolean isCrowded(int nodes) {
        return large && nodes >= NODES;
    }

    /**
     * Records an exchange.
     *
     * @param handled jobs that it claimed or ended, whichever are more
     */
    synchronized void exchanged(int handled) {
        exchanges++;
        jobs += handled;
        if (clock.nanos() - begun >= WINDOW_NANOS) {
            large = jobs >= LARGE_EXCHANGE * exchanges;
            begun = clock.nanos();
            jobs = 0;
            exchanges = 0;
        }
    }
}
