package dev.muster.postgres.internal.recovery;

import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Where searches start for leases that ran out, for jobs that expired, and for jobs that wait. What lies before was searched
 * and is usually dead, and while a transaction stays open somewhere, dead entries are not removed: a search from the beginning
 * would walk over all of them. Entries that become due before a floor, because of a late commit for example, are found by the
 * searches through everything.
 */
public final class SweepFloors {
    private static final long LATE_LEASES = TimeUnit.MINUTES.toMicros(1);
    private static final long LATE_EXPIRIES = TimeUnit.SECONDS.toMicros(10);

    private @Nullable Long leases;
    private @Nullable Long expiry;
    private final WaitingFloor waiting = new WaitingFloor();

    /** Where the search for leases starts, in microseconds of the database's clock; null for some minutes ago. */
    public synchronized @Nullable Long leases() {
        return leases;
    }

    /** At this time a search from the floor on found no lease that had run out. */
    public synchronized void noLeaseRanOut(long micros) {
        leases = micros - LATE_LEASES;
    }

    /** Where the search for expired jobs starts; null until everything was searched once. */
    public synchronized @Nullable Long expiry() {
        return expiry;
    }

    /** At this time a search from the floor on found no expired job. */
    public synchronized void noneExpired(long micros) {
        expiry = micros - LATE_EXPIRIES;
    }

    public WaitingFloor waiting() {
        return waiting;
    }

    /** The id from which on waiting jobs are searched. */
    public static final class WaitingFloor {
        private static final long LATE_MILLIS = TimeUnit.MINUTES.toMillis(2);

        private @Nullable UUID from;

        /** The first job that waits again and from which on nothing was searched yet. */
        private @Nullable UUID old;

        /** Where a search starts; null until everything was searched once. */
        public synchronized @Nullable UUID from() {
            if (from != null && old != null && isBefore(old, from)) {
                from = old;
            }
            old = null;
            return from;
        }

        /**
         * This job waits again, although its id is old: the next search starts there at the latest, whatever a current search
         * finds.
         */
        public synchronized void waitsAgain(UUID job) {
            if (old == null || isBefore(job, old)) {
                old = job;
            }
        }

        /** Compares UUIDs as PostgreSQL does: byte by byte. */
        private static boolean isBefore(UUID one, UUID other) {
            int high = Long.compareUnsigned(one.getMostSignificantBits(), other.getMostSignificantBits());
            return high < 0
                    || high == 0
                            && Long.compareUnsigned(one.getLeastSignificantBits(), other.getLeastSignificantBits()) < 0;
        }

        /**
         * @param first the first waiting job from the start of the search on; null if there is none
         * @param millis when the search was made, by the database's clock. Ids begin with the time at which they were
         *     generated, so later jobs have higher ids, except for wrong clocks of nodes and late commits
         */
        public synchronized void found(@Nullable UUID first, long millis) {
            from = first != null ? first : new UUID((millis - LATE_MILLIS) << 16 | 0x7000, 0x8000000000000000L);
        }
    }
}
