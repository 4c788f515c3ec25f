package dev.muster.gateway.route;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a caller gets.
 *
 * @param document what is written as JSON, or a text if the content type says so; null for an answer without a body
 */
public record Answer(int status, @Nullable Object document, String contentType, Map<String, String> headers) {
    public static final String JSON = "application/json";

    public Answer {
        headers = Map.copyOf(headers);
    }

    public static Answer of(@Nullable Object document) {
        return new Answer(200, document, JSON, Map.of());
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

    public Answer header(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Answer(status, document, contentType, more);
    }
}
