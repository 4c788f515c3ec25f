package dev.muster.postgres.internal.claims;

import dev.muster.internal.job.store.ClaimSession.Exchange;
import dev.muster.internal.job.store.ClaimSession.Want;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.Lane;
import dev.muster.runtime.Clock;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node knows of one limited queue: when to claim from it, and whether it has to tell the other nodes of a place that
 * it has freed. See "Queues with a limit" in the description of {@link dev.muster.postgres}.
 */
final class LimitedQueue {
    private static final Logger log = LoggerFactory.getLogger(LimitedQueue.class);

    /** How long a node that found the queue locked waits before it comes back; twice as long each time, up to the last. */
    private static final long LOCKED_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private static final int MOST_DOUBLINGS = 5;

    /** A node that found no free place is woken when one is freed; it comes back after this time in case the notification was lost. */
    private static final long FULL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long MOST_FULL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long FAILED_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long an executor whose threads are busy keeps a place that it has freed from other nodes. */
    private static final long UNUSED_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** What a claim means for the places that this node had freed before. */
    enum Freed {
        /** They are used again, or others have taken them. */
        USED,
        /** There may be jobs for them that this node had no threads for, or it could not look. */
        FOR_OTHERS,
        /** There are no jobs for them that this node could run; there may be some that only other nodes can. */
        FOR_OTHER_HANDLERS,
        /** This node could not count them, mostly because the queue was locked, and does so again in milliseconds. */
        LATER
    }

    /** @param freed what became of the places that this node had freed before the claim */
    record Claim(Optional<Exchange> exchange, Freed freed) {}

    private final String name;
    private final PostgresClaimSession session;
    private final EarlierClaims earlierClaims;
    private final Clock clock;
    private final ReentrantLock claiming = new ReentrantLock();
    private boolean waits;
    private long waitsUntil;
    private int wakes;
    private int foundLocked;
    private boolean freedPlace;
    private long freedAt;

    /** Whether the outcomes that the running claim has written freed a place. Only the thread that claims uses it. */
    private boolean freedByOutcomes;

    LimitedQueue(String name, PostgresClaimSession session, EarlierClaims earlierClaims, Clock clock) {
        this.name = name;
        this.session = session;
        this.earlierClaims = earlierClaims;
        this.clock = clock;
    }

    String name() {
        return name;
    }

    PostgresClaimSession session() {
        return session;
    }

    /** The lane by which all nodes that serve the queue are woken. */
    Lane lane() {
        return new Lane(name, "");
    }

    /** There may be a free place or a job. */
    synchronized void wake() {
        waits = false;
        wakes++;
    }

    /** There may be a free place or a job, which other nodes look for first. */
    synchronized void wakeWithin(Duration time) {
        long at = clock.nanos() + time.toNanos();
        if (waits && at - waitsUntil < 0) {
            waitsUntil = at;
        }
    }

    /** Whether the calling thread is within a claim from this queue: that has written the outcome itself, and counts the place as free. */
    boolean countsFreedPlace() {
        if (claiming.isHeldByCurrentThread()) {
            freedByOutcomes = true;
            return true;
        }
        return false;
    }

    /**
     * A job of this node has ended that used a place.
     *
     * @param mine whether this executor has claimed it, and so has to look for the next job; otherwise it looks only if it knows of any
     * @return whether it looks
     */
    boolean freed(boolean mine) {
        if (claiming.isHeldByCurrentThread() || !mine && !session.mayHaveJobs()) {
            return false;
        }
        keepPlaces(mine);
        wake();
        return true;
    }

    /** Whether this executor has had to look for a job for a free place for too long, because its threads are busy; it leaves it to others. */
    synchronized boolean leavesUnusedPlaces() {
        return freedPlace && clock.nanos() - freedAt > UNUSED_NANOS && leavePlaces();
    }

    /** Whether this node has freed a place and has not looked for a job since. */
    synchronized boolean hasFreedPlace() {
        return freedPlace;
    }

    /** This node leaves the places that it has freed to others. Returns whether there are any. */
    synchronized boolean leavePlaces() {
        boolean left = freedPlace;
        freedPlace = false;
        return left;
    }

    /** Whether a claim may find jobs now, and places for them. */
    boolean isDue() {
        return !waits() && hasJobs();
    }

    /** Whether there is a reason to claim now, other than that nobody has looked for a while. */
    boolean mayHaveJobs() {
        return !waits() && session.mayHaveJobs();
    }

    /** Whether a claim may find jobs now, if there are places for them. */
    boolean hasJobs() {
        return session.hasWork();
    }

    private synchronized boolean waits() {
        waits = waits && waitsUntil - clock.nanos() > 0;
        return waits;
    }

    /** The time until a claim may find jobs; zero if it may now. */
    Optional<Duration> untilDue() {
        synchronized (this) {
            if (waits()) {
                return Optional.of(Duration.ofNanos(Math.max(0, waitsUntil - clock.nanos())));
            }
        }
        return hasJobs() ? Optional.of(Duration.ZERO) : session.knownDue();
    }

    /** The time until there may be jobs and places for them, as far as is known; empty if no jobs are known. */
    Optional<Duration> untilKnownJobs() {
        Optional<Duration> untilJobs = session.untilKnownJobs();
        synchronized (this) {
            if (untilJobs.isEmpty() || !waits()) {
                return untilJobs;
            }
            Duration untilPlaces = Duration.ofNanos(Math.max(0, waitsUntil - clock.nanos()));
            return untilJobs.filter(time -> time.compareTo(untilPlaces) > 0).or(() -> Optional.of(untilPlaces));
        }
    }

    /** Claims jobs within the limit. Never fails: what was claimed elsewhere in the same exchange must not be lost. */
    Claim claim(Want want) {
        if (!claiming.tryLock()) {
            return new Claim(Optional.empty(), Freed.LATER);
        }
        int wakesBefore = beginToLook();
        try {
            return exchange(List.of(), want);
        } catch (MusterException e) {
            log.warn("queue={} no job could be claimed: {}", name, e.getMessage(), e);
            waitFor(randomly(FAILED_NANOS), wakesBefore);
            return new Claim(Optional.empty(), leavePlaces() ? Freed.FOR_OTHERS : Freed.USED);
        } finally {
            claiming.unlock();
        }
    }

    /** Writes outcomes and claims jobs within the limit, in one transaction. Does nothing if another thread is claiming. */
    Optional<Claim> claimWith(List<Outcome> outcomes, Want want) {
        if (!claiming.tryLock()) {
            return Optional.empty();
        }
        try {
            return Optional.of(exchange(outcomes, want));
        } finally {
            claiming.unlock();
        }
    }

    private Claim exchange(List<Outcome> outcomes, Want want) {
        // Before the count: a place that is freed from here on belongs to the next look.
        int wakesBefore = beginToLook();
        boolean freed = leavePlaces();
        freedByOutcomes = false;
        Exchange exchange;
        try {
            exchange = session.exchange(outcomes, want);
        } catch (MusterException e) {
            keepPlaces(freed);
            throw e;
        }
        QueueRoom room = session.lastRoom();
        if (room != null && room.owesNotes()) {
            exchange = noteEarlierClaims(exchange, want);
        }
        return new Claim(Optional.of(exchange), settle(exchange, want, wakesBefore, freed || freedByOutcomes));
    }

    /** This node looks for jobs for the places that it has freed again. */
    private synchronized void keepPlaces(boolean freed) {
        if (freed && !freedPlace) {
            freedPlace = true;
            freedAt = clock.nanos();
        }
    }

    private synchronized int beginToLook() {
        waits = false;
        return wakes;
    }

    /**
     * Notes the jobs that were claimed before the queue had a limit, and claims if the claim has waited for that. The exchange is
     * committed: a failure must not lose it, and the next claim tries again.
     */
    private Exchange noteEarlierClaims(Exchange exchange, Want want) {
        try {
            if (!earlierClaims.note(name) || !exchange.claimed().isEmpty()) {
                return exchange;
            }
            Exchange next = session.exchange(List.of(), want);
            return exchange.withClaims(next.claimed(), next.exhausted(), next.nextDue());
        } catch (MusterException e) {
            log.warn(
                    "queue={} jobs that were claimed before its limit are not counted yet: {}",
                    name,
                    e.getMessage(),
                    e);
            return exchange;
        }
    }

    private Freed settle(Exchange exchange, Want want, int wakesBefore, boolean freed) {
        QueueRoom room = session.lastRoom();
        if (room != null && !room.hasCounted()) {
            waitFor(randomly(LOCKED_NANOS << Math.min(foundLocked++, MOST_DOUBLINGS)), wakesBefore);
            keepPlaces(freed);
            return Freed.LATER;
        }
        foundLocked = 0;
        int claimed = exchange.claimed().size();
        if (room != null && claimed >= room.size()) {
            if (room.limitedByRate()) {
                // What does not start at its time is lost: neither earlier nor later.
                waitFor(Math.max(LOCKED_NANOS, room.untilRate().toNanos()), wakesBefore);
            } else {
                waitFor(
                        randomly(Math.min(MOST_FULL_NANOS, FULL_NANOS * Math.max(1, session.peers() / 4))),
                        wakesBefore);
            }
            return Freed.USED;
        }
        if (!freed) {
            return Freed.USED;
        }
        return claimed < want.jobs() && exchange.exhausted() ? Freed.FOR_OTHER_HANDLERS : Freed.FOR_OTHERS;
    }

    /** So that nodes do not come back together. */
    private static long randomly(long nanos) {
        return ThreadLocalRandom.current().nextLong(nanos * 3 / 4, nanos * 5 / 4 + 1);
    }

    /** Claims nothing for this time, unless it is woken; not at all if it was woken meanwhile. */
    private synchronized void waitFor(long nanos, int wakesBefore) {
        if (wakes == wakesBefore) {
            waits = true;
            waitsUntil = clock.nanos() + nanos;
        }
    }

    /** Nodes were notified of these lanes; returns when it is this node's turn to look. */
    Optional<Duration> wakeInTurn(Set<Lane> lanes) {
        Optional<Duration> turn = session.wakeInTurn(lanes);
        turn.ifPresent(pause -> {
            if (pause.isZero()) {
                wake();
            } else {
                wakeWithin(pause);
            }
        });
        return turn;
    }
}
