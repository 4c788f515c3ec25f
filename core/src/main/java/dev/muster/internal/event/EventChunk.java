package dev.muster.internal.event;

import dev.muster.event.Event;
import dev.muster.event.Position;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Events that are sent together. All clients that get them share one chunk, and what is made of it for the network. Thread-safe. */
public final class EventChunk {
    private final List<Event> events;
    private byte @Nullable [] encoded;

    EventChunk(List<Event> events) {
        this.events = List.copyOf(events);
    }

    static EventChunk of(Position position, Event.Content content) {
        return new EventChunk(List.of(new Event(position, content)));
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

    /** The same for a client that has come further with another node: what it gets must not lead back to where it has been. */
    EventChunk notBefore(Position position) {
        return events.stream().noneMatch(event -> event.position().isBefore(position))
                ? this
                : new EventChunk(events.stream()
                        .map(event -> new Event(Position.later(event.position(), position), event.content()))
                        .toList());
    }

    int size() {
        return events.size();
    }
}
