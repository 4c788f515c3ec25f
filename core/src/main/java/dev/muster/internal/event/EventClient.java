package dev.muster.internal.event;

import dev.muster.event.Event.Content;
import dev.muster.event.Event.Reset;
import dev.muster.event.Position;
import dev.muster.event.Subscription;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;

/**
 * One who listens. The feed puts chunks in, the client's connection takes them out; neither waits for the other. A client that leaves more
 * than {@link #RING} chunks, or many events, gets a reset instead of them. Thread-safe.
 */
public final class EventClient {
    /** How many chunks wait for a client at most. A round makes a few. */
    static final int RING = 256;

    /** How many events they have at most: 20 seconds of a cluster that always has something to tell. */
    private static final int MOST_EVENTS = 20_000;

    private final Subscription subscription;
    private final Runnable ready;
    private final Runnable leave;
    private final Queue<EventChunk> waiting = new ArrayDeque<>();
    private int waitingEvents;
    private boolean reset;

    /** How far it has got history. Only the thread of the feed changes this. */
    private volatile Position upTo;

    /** What it was told last of each job and run. Only the thread of the feed uses this. */
    private final Map<Object, Content> watched = new HashMap<>();

    /**
     * @param ready called when there is something to take; must be quick
     * @param leave removes the client from its feed
     */
    EventClient(Subscription subscription, Position upTo, Runnable ready, Runnable leave) {
        this.subscription = subscription;
        this.upTo = upTo;
        this.ready = ready;
        this.leave = leave;
    }

    Subscription subscription() {
        return subscription;
    }

    Position upTo() {
        return upTo;
    }

    void reached(Position position) {
        upTo = Position.later(upTo, position);
    }

    /** Whether this is not what the client was told last about the job or run. */
    boolean isNews(Object id, Content content) {
        return !content.equals(watched.put(id, content));
    }

    void put(EventChunk chunk) {
        synchronized (this) {
            if (reset) {
                return;
            }
            if (waiting.size() < RING && waitingEvents < MOST_EVENTS) {
                waiting.add(chunk);
                waitingEvents += chunk.size();
            } else {
                waiting.clear();
                waiting.add(
                        resetTo("the client was too slow", chunk.events().get(0).position()));
            }
        }
        ready.run();
    }

    /** Ends the client with a reset, after what waits for it. */
    public void reset(String reason) {
        synchronized (this) {
            if (reset) {
                return;
            }
            waiting.add(resetTo(reason, upTo));
        }
        ready.run();
    }

    private EventChunk resetTo(String reason, Position position) {
        reset = true;
        return EventChunk.of(position, new Reset(reason));
    }

    /** The next chunk; empty if there is none at the moment. */
    public synchronized Optional<EventChunk> take() {
        Optional<EventChunk> next = Optional.ofNullable(waiting.poll());
        next.ifPresent(chunk -> waitingEvents -= chunk.size());
        return next;
    }

    /** Whether the client has taken its reset: nothing follows. */
    public synchronized boolean isOver() {
        return reset && waiting.isEmpty();
    }

    /** The client has gone. May be called twice, by any thread. */
    public void close() {
        synchronized (this) {
            reset = true;
            waiting.clear();
        }
        leave.run();
    }

    synchronized boolean isReset() {
        return reset;
    }
}
