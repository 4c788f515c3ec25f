package dev.muster.postgres.internal.admission;

import dev.muster.runtime.Clock;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Up to where the jobs that wait for admission have been looked at, by the times at which they are due. What lies before has been admitted, or is
 * admitted by whoever frees a place; and while a transaction stays open somewhere, there are dead entries of all jobs that have passed a group
 * since. Jobs that were committed long after they were put into their groups, and what a process has left over that died, are found by searches from
 * the beginning.
 */
public final class AdmissionFloor {
    /** Who puts a job into its group commits it, and admits it, within this time, or a search finds the job. */
    private static final Duration LATE = Duration.ofSeconds(10);

    /** A node that has not looked for as long as this begins with a search. */
    private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** A search that has begun and is not continued, because another node leads now, begins again after this time. */
    private static final long LONGEST_SEARCH_NANOS = TimeUnit.MINUTES.toNanos(10);

    /** If the database's clock has moved by so much more or less than this process's own, it was set. */
    private static final Duration JUMP = Duration.ofSeconds(5);

    private final Clock clock;
    private @Nullable Position front;
    private long movedAt;
    private @Nullable OffsetDateTime present;
    private long presentNanos;
    private boolean clockWasSet;
    private long searchAt;

    AdmissionFloor(Clock clock) {
        this.clock = clock;
        this.searchAt = clock.nanos();
    }

    /** A position among the jobs that wait for admission, by their times and groups. */
    record Position(OffsetDateTime at, String group) {
        static Position before(OffsetDateTime at) {
            return new Position(at, "");
        }
    }

    /** From where on the leader asks whether a job that waits for admission is due; null if there may be some anywhere, so that it has to search. */
    public synchronized @Nullable OffsetDateTime from() {
        Position known = front();
        return known == null || searchIsDue() ? null : known.at().minus(LATE);
    }

    /** At this time no job that waits for admission was due from the floor on, or is so soon. */
    public synchronized void nothingDue(OffsetDateTime asked) {
        if (front != null) {
            reached(asked);
        }
    }

    /** Null if it is not known, or was known too long ago. */
    synchronized @Nullable Position front() {
        return clock.nanos() - movedAt < STALE_NANOS ? front : null;
    }

    /** The position from which jobs are found, too, that were committed late. */
    synchronized @Nullable Position beforeLateCommits() {
        Position known = front();
        return known == null ? null : Position.before(known.at().minus(LATE));
    }

    synchronized void movedTo(@Nullable Position position) {
        front = position;
        movedAt = clock.nanos();
    }

    /** Everything was looked at that is due now. If the clock was set, timers of nodes are wrong, and a search follows. */
    synchronized void reached(OffsetDateTime now) {
        long nanos = clock.nanos();
        if (present != null) {
            Duration set = Duration.between(present, now).minusNanos(nanos - presentNanos);
            clockWasSet |= set.abs().compareTo(JUMP) > 0;
        }
        present = now;
        presentNanos = nanos;
        movedTo(Position.before(now));
    }

    synchronized boolean searchIsDue() {
        return clockWasSet || clock.nanos() - searchAt >= 0;
    }

    synchronized void searchBegins() {
        clockWasSet = false;
        searchAt = clock.nanos() + LONGEST_SEARCH_NANOS;
    }

    synchronized void searchAfter(long nanos) {
        searchAt = clock.nanos() + nanos;
    }
}
