package dev.muster.postgres.claims;

import dev.muster.runtime.Clock;
import java.util.concurrent.TimeUnit;

/**
 * Whether a claim may have been committed whose answer never came. When the database is asked about it, the commit may still
 * be under way, waiting for a disk or a standby. So it is asked again for a while.
 */
public final class UnacknowledgedClaims {
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long LASTS_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Clock clock;
    private boolean some;
    private boolean asked;
    private long arisenAt;
    private long askedAt;

    UnacknowledgedClaims(Clock clock) {
        this.clock = clock;
    }

    synchronized void arise() {
        some = true;
        asked = false;
        arisenAt = clock.nanos();
    }

    /** Whether it is time to ask. */
    synchronized boolean isDue() {
        return some && (!asked || clock.nanos() - askedAt >= AGAIN_NANOS);
    }

    /**
     * The database has answered, and what it said is done.
     *
     * @param since when it was asked; doubt that arose later stays
     */
    synchronized void answered(long since) {
        if (since - arisenAt < 0) {
            return;
        }
        asked = true;
        askedAt = since;
        some = since - arisenAt < LASTS_NANOS;
    }
}
