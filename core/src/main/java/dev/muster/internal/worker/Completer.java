package dev.muster.internal.worker;

import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The queue of outcomes that wait to be written to the database. */
final class Completer {
    /** Limits the results of one chunk, because they are sent in one parameter that the driver copies. */
    private static final long MAX_CHARACTERS =
            Math.min(8 << 20, Runtime.getRuntime().maxMemory() / 64);

    /** While more characters than this wait to be written, threads start no further jobs. */
    private static final long MAX_WAITING_CHARACTERS = 2 * MAX_CHARACTERS;

    private final ConcurrentLinkedQueue<Outcome> queue = new ConcurrentLinkedQueue<>();

    /** Counted separately, because the queue's own size() walks over all elements. */
    private final AtomicInteger count = new AtomicInteger();

    private final AtomicLong characters = new AtomicLong();

    /** Claims whose job goes back to pending and for which that is not written yet. */
    private final Set<ClaimRef> goingBack = ConcurrentHashMap.newKeySet();

    private volatile Runnable wakePumps = () -> {};

    /** Called after each outcome; must be cheap. */
    void wakePumps(Runnable action) {
        wakePumps = action;
    }

    void add(Outcome outcome) {
        if (outcome instanceof Outcome.Released) {
            goingBack.add(outcome.claim());
        }
        queue.add(outcome);
        count.incrementAndGet();
        int size = size(outcome);
        if (size > 0) {
            characters.addAndGet(size);
        }
        wakePumps.run();
    }

    /** Whether so many results wait to be written that no further job should start. */
    boolean isFull() {
        return characters.get() > MAX_WAITING_CHARACTERS;
    }

    /** Wakes the pumps, because a claim was closed without an outcome or a stuck thread returned: there may be room. */
    void roomMade() {
        wakePumps.run();
    }

    List<Outcome> take(int atMost) {
        List<Outcome> taken = new ArrayList<>();
        Outcome next;
        long sum = 0;
        while (taken.size() < atMost && sum < MAX_CHARACTERS && (next = queue.poll()) != null) {
            taken.add(next);
            sum += size(next);
        }
        count.addAndGet(-taken.size());
        if (sum > 0) {
            characters.addAndGet(-sum);
        }
        return taken;
    }

    private static int size(Outcome outcome) {
        return outcome instanceof Outcome.Completed completed && completed.result() != null
                ? completed.result().length()
                : 0;
    }

    /** Claims whose job goes back to pending as if it had not been claimed, and for which that is not written yet. */
    Set<ClaimRef> goingBack() {
        return goingBack;
    }

    /** This outcome was written or rejected. Returns false if its job had been released in another way. */
    boolean removeReleased(Outcome outcome) {
        return !(outcome instanceof Outcome.Released) || goingBack.remove(outcome.claim());
    }

    /** Queues outcomes again that could not be written. */
    void putBack(Collection<Outcome> outcomes) {
        queue.addAll(outcomes);
        count.addAndGet(outcomes.size());
        characters.addAndGet(outcomes.stream().mapToLong(Completer::size).sum());
    }

    /**
     * Whether the outcome that has waited longest is one of a feature: it costs much to write one of those by itself, and little to
     * write it with others.
     */
    boolean benefitsFromChunking() {
        return queue.peek() instanceof Outcome.OfFeature;
    }

    /** How many outcomes wait. Inexact for a moment while outcomes are added or removed. */
    int count() {
        return Math.max(0, count.get());
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }
}
