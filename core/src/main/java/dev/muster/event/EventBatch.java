package dev.muster.event;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Events that are sent together. All clients that get them share one batch, and what is made of it for the network. Thread-safe. */
public final class EventBatch {
    private final List<Event> events;
    private byte @Nullable [] encoded;

    EventBatch(List<Event> events) {
        this.events = List.copyOf(events);
    }

    static EventBatch of(Position position, Event.Content content) {
        return new EventBatch(List.of(new Event(position, content)));
    }

    public List<Event> events() {
        return events;
    }

    /** The events as bytes, which are made once for all clients; all of them have to use the same encoder. */
    public synchronized byte[] encoded(Function<List<Event>, byte[]> encoder) {
        byte[] known = encoded;
        if (known == null) {
            known = encoder.apply(events);
            encoded = known;
        }
        return known;
    }

    int size() {
        return events.size();
    }
}
