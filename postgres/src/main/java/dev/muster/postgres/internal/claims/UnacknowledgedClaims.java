package dev.muster.postgres.internal.claims;

import dev.muster.runtime.Clock;
import java.util.concurrent.TimeUnit;

/**
 * Tracks whether a claim may have been committed without an acknowledgement. When the database is asked about it, the commit
 * may still be under way, waiting for a disk or a standby. So the question is repeated for a while.
 */
public final class UnacknowledgedClaims {
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long POSSIBLE_FOR_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Clock clock;
    private boolean possible;
    private boolean asked;
    private long possibleSince;
    private long askedAt;

    UnacknowledgedClaims(Clock clock) {
        this.clock = clock;
    }

    synchronized void mayExist() {
        possible = true;
        asked = false;
        possibleSince = clock.nanos();
    }

    /** Whether it is time to ask. */
    synchronized boolean isDue() {
        return possible && (!asked || clock.nanos() - askedAt >= AGAIN_NANOS);
    }

    /**
     * The database has answered, and unknown claims were released.
     *
     * @param since when it was asked; claims that became uncertain later still have to be checked
     */
    synchronized void answered(long since) {
        if (since - possibleSince < 0) {
            return;
        }
        asked = true;
        askedAt = since;
        possible = since - possibleSince < POSSIBLE_FOR_NANOS;
    }
}
