package dev.muster.worker;

import dev.muster.job.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Outcomes on their way to the database. */
final class Completer {
    /** Results of one batch travel in one parameter: a bounded one. */
    private static final long MAX_CHARACTERS = 8 << 20;

    private final ConcurrentLinkedQueue<Outcome> queue = new ConcurrentLinkedQueue<>();

    /** The queue would have to walk over all of them. */
    private final AtomicInteger count = new AtomicInteger();

    private volatile Runnable wakePumps = () -> {};

    /** Called after each outcome; must be cheap. */
    void wakePumps(Runnable action) {
        wakePumps = action;
    }

    void add(Outcome outcome) {
        queue.add(outcome);
        count.incrementAndGet();
        wakePumps.run();
    }

    /** A claim was closed without an outcome to write, or a stuck thread came back: there may be room for another. */
    void roomMade() {
        wakePumps.run();
    }

    List<Outcome> take(int atMost) {
        List<Outcome> taken = new ArrayList<>();
        Outcome next;
        long characters = 0;
        while (taken.size() < atMost && characters < MAX_CHARACTERS && (next = queue.poll()) != null) {
            taken.add(next);
            characters += size(next);
        }
        count.addAndGet(-taken.size());
        return taken;
    }

    private static int size(Outcome outcome) {
        return outcome instanceof Outcome.Completed completed && completed.result() != null
                ? completed.result().length()
                : 0;
    }

    /** Puts back what could not be written. */
    void putBack(Collection<Outcome> outcomes) {
        queue.addAll(outcomes);
        count.addAndGet(outcomes.size());
    }

    /** Right again a moment later if outcomes come or go just now. */
    int count() {
        return Math.max(0, count.get());
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }
}
