package dev.muster.worker;

import dev.muster.job.store.ClaimRef;
import dev.muster.job.store.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Outcomes on their way to the database. */
final class Completer {
    /** Results of one batch travel in one parameter, of which the driver makes copies. */
    private static final long MAX_CHARACTERS =
            Math.min(8 << 20, Runtime.getRuntime().maxMemory() / 64);

    /** While more than this is on its way, threads start nothing that would add to it. */
    private static final long MUCH = 2 * MAX_CHARACTERS;

    private final ConcurrentLinkedQueue<Outcome> queue = new ConcurrentLinkedQueue<>();

    /** The queue would have to walk over all of them. */
    private final AtomicInteger count = new AtomicInteger();

    private final AtomicLong characters = new AtomicLong();

    /** Claims whose job goes back in line, until that is written. */
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

    /** Whether so much is on its way that the next job had better wait: its result has to be held, too. */
    boolean isFull() {
        return characters.get() > MUCH;
    }

    /** A claim was closed without an outcome to write, or a stuck thread came back: there may be room for another. */
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

    /** Claims whose job goes back in line as if it had not been claimed, and for which that is not written yet. */
    Set<ClaimRef> goingBack() {
        return goingBack;
    }

    /** This outcome was written or rejected. False: its job had been handed back by other means. */
    boolean settled(Outcome outcome) {
        return !(outcome instanceof Outcome.Released) || goingBack.remove(outcome.claim());
    }

    /** Puts back what could not be written. */
    void putBack(Collection<Outcome> outcomes) {
        queue.addAll(outcomes);
        count.addAndGet(outcomes.size());
        characters.addAndGet(outcomes.stream().mapToLong(Completer::size).sum());
    }

    /** Right again a moment later if outcomes come or go just now. */
    int count() {
        return Math.max(0, count.get());
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }
}
