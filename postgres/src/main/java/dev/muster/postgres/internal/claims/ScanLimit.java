package dev.muster.postgres.internal.claims;

import java.util.concurrent.TimeUnit;

/**
 * Reduces how many jobs a claim asks for after a scan took too long and was rolled back. A scan for a single job ends with the
 * first one, however far away the next is. Guarded by its own lock.
 */
public final class ScanLimit {
    private static final long QUICK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private int limit = Integer.MAX_VALUE;

    synchronized int atMost(int want) {
        return Math.min(want, limit);
    }

    synchronized void scanTimedOut() {
        limit = 1;
    }

    synchronized void scanned(long nanos) {
        if (limit < Integer.MAX_VALUE && nanos < QUICK_NANOS) {
            limit = limit > Integer.MAX_VALUE / 4 ? Integer.MAX_VALUE : limit * 4;
        }
    }
}
