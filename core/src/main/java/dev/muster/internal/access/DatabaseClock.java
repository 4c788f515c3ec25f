package dev.muster.internal.access;

import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The database's time as a node estimates it, for the expiry of tokens: one reading, and from there on the node's monotonic clock. A reading
 * is renewed by a call that finds it older than a minute; nothing is asked while nobody calls. While the database does not answer, the old
 * reading is used further.
 */
public final class DatabaseClock {
    private static final Logger log = LoggerFactory.getLogger(DatabaseClock.class);
    private static final long RENEW_AFTER = Duration.ofMinutes(1).toNanos();
    private static final long BETWEEN_DOUBTS = Duration.ofSeconds(1).toNanos();
    private static final long RETRY_AFTER = Duration.ofSeconds(5).toNanos();

    private final TimeStore store;
    private final Clock clock;

    /** Held by the one call that asks the database. */
    private final ReentrantLock asking = new ReentrantLock();

    private volatile @Nullable Reading last;

    /** What the database's clock showed at a moment of the node's clock, and when to ask again. */
    private record Reading(Instant shown, long at, long renewAt) {
        Instant at(long nanos) {
            return shown.plusNanos(nanos - at);
        }
    }

    public DatabaseClock(TimeStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    /** @throws DatabaseUnavailable if the database has never answered */
    public Instant now() {
        Reading reading = last;
        if (reading == null) {
            reading = first();
        } else if (isOld(reading) && asking.tryLock()) {
            try {
                reading = renewed(reading);
            } finally {
                asking.unlock();
            }
        }
        return reading.at(clock.nanos());
    }

    /**
     * The time for a caller who has a reason to doubt the estimate, because somebody else's differs: asks the database, unless that was
     * done within the last second.
     *
     * @throws DatabaseUnavailable if the database does not answer
     */
    public Instant doubted() {
        asking.lock();
        try {
            Reading reading = last;
            boolean recent = reading != null && clock.nanos() - reading.at < BETWEEN_DOUBTS;
            return (recent ? reading : read()).at(clock.nanos());
        } finally {
            asking.unlock();
        }
    }

    private boolean isOld(Reading reading) {
        return clock.nanos() - reading.renewAt >= 0;
    }

    private Reading first() {
        asking.lock();
        try {
            Reading reading = last;
            return reading != null ? reading : read();
        } finally {
            asking.unlock();
        }
    }

    private Reading renewed(Reading found) {
        Reading old = last == null ? found : last;
        if (!isOld(old)) {
            return old;
        }
        try {
            return read();
        } catch (MusterException e) {
            log.debug("the database's clock was not read again", e);
            Reading kept = new Reading(old.shown, old.at, clock.nanos() + RETRY_AFTER);
            last = kept;
            return kept;
        }
    }

    /** The database read its clock at some moment of the question: half of its duration is the best guess. */
    private Reading read() {
        long asked = clock.nanos();
        Instant shown = store.now();
        long answered = clock.nanos();
        Reading reading = new Reading(shown, asked + (answered - asked) / 2, answered + RENEW_AFTER);
        last = reading;
        return reading;
    }
}
