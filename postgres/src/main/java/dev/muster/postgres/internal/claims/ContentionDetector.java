package dev.muster.postgres.internal.claims;

import dev.muster.runtime.Clock;
import java.util.concurrent.TimeUnit;

/**
 * Detects contention between nodes. Two simultaneous exchanges of one node keep the database busy while one of them waits for a
 * commit. If several nodes work off a backlog, the other nodes keep it busy, and a second exchange per node only makes all of
 * them wait for each other; see docs/adr/0021.
 *
 * <p>The decision uses only what all nodes see alike: a node that makes two exchanges at once among nodes that make one would
 * take twice its share.
 */
public final class ContentionDetector {
    private static final int NODES = 3;
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Smaller exchanges mean that there is no backlog: the time goes into the commit or the network. */
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

    /** @param nodes how many nodes hold claims, including this one */
    synchronized boolean isCrowded(int nodes) {
        return large && nodes >= NODES;
    }

    /**
     * Records an exchange.
     *
     * @param handled how many jobs it claimed or ended, whichever is more
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
