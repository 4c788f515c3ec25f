package dev.muster.gateway.internal;

import dev.muster.config.MusterConfig;
import dev.muster.gateway.internal.route.Refusal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Lets callers take turns. Requests share the connections to the database, the processors and the heap, of which there is less than there are places for
 * requests. So only a few of those that have a place are worked on at a time, and whenever one of them ends, the next is one of the caller who has
 * the fewest under way. Nobody gets the last quarter of the turns alone: a caller that sends very much waits for itself, and one that sends a
 * request now and then finds a turn free, or waits for a single request to end.
 */
final class Turns {
    private final int most;

    /** When fewer turns than these are free, a caller gets no more of them than are left for others. */
    private final int shared;

    private final Duration patience;
    private final Map<String, Integer> underWay = new HashMap<>();

    /** Callers with requests that wait; those who had a turn last come last. */
    private final Map<String, Deque<CompletableFuture<Void>>> waiting = new LinkedHashMap<>();

    private int running;

    /**
     * @param most how many requests are worked on at the same time
     * @param patience how long a request waits for its turn
     */
    Turns(int most, Duration patience) {
        this.most = most;
        this.shared = most == 1 ? 0 : Math.max(1, most / RequestCapacity.SHARED_PART);
        this.patience = patience;
    }

    /**
     * Those of a port of a node. Two of the node's connections are left: to the node itself, and to finding out whose a request is, which nobody
     * waits for behind the requests of others. Of an application's own pool the setting says how large it is.
     */
    static Turns of(MusterConfig config) {
        return new Turns(
                Math.max(2, config.database().poolSize() - 2), config.gateway().readTimeout());
    }

    /**
     * Waits for the caller's turn; {@link #end} must follow.
     *
     * @throws Refusal if it does not come in time; {@link #end} must not follow then
     */
    void begin(String caller) {
        CompletableFuture<Void> turn = new CompletableFuture<>();
        synchronized (this) {
            if (mayBegin(caller)) {
                count(caller);
                return;
            }
            waiting.computeIfAbsent(caller, name -> new ArrayDeque<>()).add(turn);
        }
        try {
            turn.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            giveUp(caller, turn);
            throw Refusal.unavailable(
                    "busy",
                    "this node works on as many requests as it can, which is " + most
                            + ", and the turn of this one did not come in time (gateway.read_timeout)");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            giveUp(caller, turn);
            throw Refusal.unavailable("busy", "this node is stopping");
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Begins if it is the caller's turn now; {@link #end} must follow then. */
    synchronized boolean beginNow(String caller) {
        boolean may = mayBegin(caller);
        if (may) {
            count(caller);
        }
        return may;
    }

    /** Lets those continue whose turn it is now that a request of this caller has ended. */
    synchronized void end(String caller) {
        running--;
        underWay.computeIfPresent(caller, (name, count) -> count == 1 ? null : count - 1);
        Optional<String> next = next();
        while (next.isPresent() && mayBegin(next.get())) {
            beginNext(next.get());
            next = next();
        }
    }

    /** How many requests wait for their turn. */
    synchronized int waiting() {
        return waiting.values().stream().mapToInt(Deque::size).sum();
    }

    /** How many requests may be worked on. */
    int most() {
        return most;
    }

    /** How many requests are worked on. */
    synchronized int running() {
        return running;
    }

    private boolean mayBegin(String caller) {
        int own = underWay.getOrDefault(caller, 0) + 1;
        int left = most - running - 1;
        return left >= 0 && (own == 1 || left >= shared || own <= left);
    }

    private void count(String caller) {
        running++;
        underWay.merge(caller, 1, Integer::sum);
    }

    /** The waiting caller who has the fewest under way: if this one may not begin, nobody may. */
    private Optional<String> next() {
        return waiting.keySet().stream().min(Comparator.comparingInt(one -> underWay.getOrDefault(one, 0)));
    }

    private void beginNext(String caller) {
        Deque<CompletableFuture<Void>> own = waiting.remove(caller);
        CompletableFuture<Void> turn = own.remove();
        if (!own.isEmpty()) {
            waiting.put(caller, own);
        }
        count(caller);
        turn.complete(null);
    }

    /** The turn may have come at the last moment. */
    private synchronized void giveUp(String caller, CompletableFuture<Void> turn) {
        if (turn.isDone()) {
            end(caller);
            return;
        }
        Deque<CompletableFuture<Void>> own = waiting.get(caller);
        if (own != null && own.remove(turn) && own.isEmpty()) {
            waiting.remove(caller);
        }
    }
}
