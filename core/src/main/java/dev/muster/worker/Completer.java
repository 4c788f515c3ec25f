package dev.muster.worker;

import dev.muster.job.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Outcomes on their way to the database. */
final class Completer {
    private final ConcurrentLinkedQueue<Outcome> queue = new ConcurrentLinkedQueue<>();
    private volatile Runnable wakePumps = () -> {};

    /** Called after each outcome; must be cheap. */
    void wakePumps(Runnable action) {
        wakePumps = action;
    }

    void add(Outcome outcome) {
        queue.add(outcome);
        wakePumps.run();
    }

    /** A claim was closed without an outcome to write: there may be room for another. */
    void roomMade() {
        wakePumps.run();
    }

    List<Outcome> take(int atMost) {
        List<Outcome> taken = new ArrayList<>();
        Outcome next;
        while (taken.size() < atMost && (next = queue.poll()) != null) {
            taken.add(next);
        }
        return taken;
    }

    /** Puts back what could not be written. */
    void putBack(Collection<Outcome> outcomes) {
        queue.addAll(outcomes);
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }
}
