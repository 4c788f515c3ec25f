package dev.muster.postgres.recovery;

import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * From where on to look for leases that ran out, for jobs that expired, and for jobs that wait. What lies before was looked
 * at and is dead as a rule, and while a transaction stays open somewhere, nothing dead is removed: whoever begins at the
 * beginning passes all of it by. What becomes due before a floor nevertheless, such as by a late commit, is found by the
 * searches through everything.
 */
public final class SweepFloors {
    private static final long LATE_LEASES = TimeUnit.MINUTES.toMicros(1);
    private static final long LATE_EXPIRIES = TimeUnit.SECONDS.toMicros(10);

    private @Nullable Long leases;
    private @Nullable Long expiry;
    private final WaitingFloor waiting = new WaitingFloor();

    /** In microseconds by the database's clock; null: some minutes ago. */
    public synchronized @Nullable Long leases() {
        return leases;
    }

    /** No lease had run out that was found from the floor on, at this time. */
    public synchronized void noLeaseRanOut(long micros) {
        leases = micros - LATE_LEASES;
    }

    /** Null: not known before everything was searched once. */
    public synchronized @Nullable Long expiry() {
        return expiry;
    }

    /** No job had expired that was found from the floor on, at this time. */
    public synchronized void noneExpired(long micros) {
        expiry = micros - LATE_EXPIRIES;
    }

    public WaitingFloor waiting() {
        return waiting;
    }

    /** From which id on to look for a job that waits. */
    public static final class WaitingFloor {
        private static final long LATE_MILLIS = TimeUnit.MINUTES.toMillis(2);

        private @Nullable UUID from;

        /** Of a job that waits again, since nobody has looked from it on. */
        private @Nullable UUID old;

        /** Where a look begins. Null: not known before everything was searched once. */
        public synchronized @Nullable UUID from() {
            if (from != null && old != null && isBefore(old, from)) {
                from = old;
            }
            old = null;
            return from;
        }

        /** This job waits again, although its id is old: the next look begins there at the latest, whatever one that is under way finds. */
        public synchronized void waitsAgain(UUID job) {
            if (old == null || isBefore(job, old)) {
                old = job;
            }
        }

        /** As PostgreSQL compares them: byte by byte. */
        private static boolean isBefore(UUID one, UUID other) {
            int high = Long.compareUnsigned(one.getMostSignificantBits(), other.getMostSignificantBits());
            return high < 0
                    || high == 0
                            && Long.compareUnsigned(one.getLeastSignificantBits(), other.getLeastSignificantBits()) < 0;
        }

        /**
         * @param first the first job that waits, from where it was looked for; null: none does
         * @param millis when, by the database's clock. Ids begin with the time at which they were made, so those that come
         *     are later, but for what nodes' clocks are wrong and commits are late
         */
        public synchronized void found(@Nullable UUID first, long millis) {
            from = first != null ? first : new UUID((millis - LATE_MILLIS) << 16 | 0x7000, 0x8000000000000000L);
        }
    }
}
