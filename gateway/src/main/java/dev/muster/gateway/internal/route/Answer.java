package dev.muster.gateway.internal.route;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a caller gets.
 *
 * @param document what is written as JSON, or a text if the content type says so, or bytes, or a {@link Stream.Opener}; null for an answer
 *     without a body
 */
public record Answer(int status, @Nullable Object document, String contentType, Map<String, String> headers) {
    public static final String JSON = "application/json";
    public static final String EVENT_STREAM = "text/event-stream";

    /** How many things a list has that is not read page by page. */
    private static final int MOST_LISTED = 10_000;

    public Answer {
        headers = Map.copyOf(headers);
    }

    public static Answer of(@Nullable Object document) {
        return new Answer(200, document, JSON, Map.of());
    }

    /**
     * A page of a list: its documents, and {@code next}, which is the id of the last one if there may be more behind it.
     *
     * @param limit how many the caller asked for
     */
    public static <T> Answer page(
            String name, List<T> page, int limit, Function<? super T, ?> write, Function<? super T, ?> id) {
        Map<String, @Nullable Object> document = new LinkedHashMap<>();
        document.put(name, page.stream().map(write).toList());
        document.put("next", page.size() < limit ? null : id.apply(page.get(page.size() - 1)));
        return of(document);
    }

    /** A list that has everything. If that is very much, it has the first ten thousand, and {@code left_out} says how many there are besides. */
    public static <T> Answer list(String name, Collection<T> all, Function<? super T, ?> write) {
        Map<String, @Nullable Object> document = new LinkedHashMap<>();
        document.put(name, all.stream().limit(MOST_LISTED).map(write).toList());
        if (all.size() > MOST_LISTED) {
            document.put("left_out", all.size() - MOST_LISTED);
        }
        return of(document);
    }

    /** Something was created. */
    public static Answer created(@Nullable Object document) {
        return new Answer(201, document, JSON, Map.of());
    }

    public static Answer nothing() {
        return new Answer(204, null, JSON, Map.of());
    }

    public static Answer text(String text, String contentType) {
        return new Answer(200, text, contentType, Map.of());
    }

    /** Server-sent events, which proxies must not collect before they pass them on. */
    public static Answer events(Stream.Opener stream) {
        return new Answer(200, stream, EVENT_STREAM, Map.of("X-Accel-Buffering", "no"));
    }

    public Answer header(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Answer(status, document, contentType, more);
    }
}
