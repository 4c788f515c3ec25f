package dev.muster.document.internal;

import dev.muster.internal.config.DurationText;
import dev.muster.job.RawJson;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Puts a document together, member by member.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class JsonObjectWriter {
    private final Map<String, @Nullable Object> members;

    public JsonObjectWriter() {
        this(new LinkedHashMap<>());
    }

    private JsonObjectWriter(Map<String, @Nullable Object> members) {
        this.members = members;
    }

    /** Goes on with a document that was written. */
    public static JsonObjectWriter of(Map<String, @Nullable Object> document) {
        return new JsonObjectWriter(document);
    }

    /** Adds a member; an empty {@link Optional} becomes null, an instant its text. */
    public JsonObjectWriter put(String name, @Nullable Object value) {
        Object known = value instanceof Optional<?> optional ? optional.orElse(null) : value;
        members.put(name, known instanceof Instant time ? Json.time(time) : known);
        return this;
    }

    /** Adds a member unless its value is empty: for requests, where a field that is not set is left out. */
    public JsonObjectWriter putIfPresent(String name, Optional<?> value) {
        return value.isPresent() ? put(name, value) : this;
    }

    /** Adds the text of a value: an id, for example. */
    public JsonObjectWriter text(String name, Optional<?> value) {
        return put(name, value.map(Object::toString));
    }

    /** Adds JSON as it is. */
    public JsonObjectWriter raw(String name, Optional<String> json) {
        return put(name, json.map(RawJson::new));
    }

    /** Adds a duration as a number of milliseconds. */
    public JsonObjectWriter millis(String name, Optional<Duration> duration) {
        return put(name, duration.map(Duration::toMillis));
    }

    /** A duration as people write it. */
    public static Optional<String> duration(Optional<Duration> duration) {
        return duration.map(DurationText::format);
    }

    /** The forms of these things, in their order. */
    public static <T> List<@Nullable Object> list(Collection<T> things, Function<T, ?> form) {
        List<@Nullable Object> list = new ArrayList<>(things.size());
        things.forEach(thing -> list.add(form.apply(thing)));
        return list;
    }

    /** The document, to which members may still be added. */
    public Map<String, @Nullable Object> done() {
        return members;
    }
}
