package dev.muster.testkit;

import dev.muster.job.RawJson;
import dev.muster.runtime.JsonCodec;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** The {@link JsonCodec} on the classpath, and comparison of JSON by content instead of text. */
final class Codec {
    private static final JsonCodec FOUND = ServiceLoader.load(JsonCodec.class)
            .findFirst()
            .orElseThrow(() -> new IllegalStateException(
                    "no JsonCodec found; add muster-json-jackson3 or muster-json-jackson2 to the test classpath"));

    private Codec() {}

    static JsonCodec get() {
        return FOUND;
    }

    static String write(@Nullable Object value) {
        return value instanceof RawJson raw ? raw.text() : FOUND.write(value);
    }

    static boolean same(String json, String other) {
        return same(FOUND.read(json, Object.class), FOUND.read(other, Object.class));
    }

    private static boolean same(@Nullable Object a, @Nullable Object b) {
        if (a instanceof Number && b instanceof Number) {
            return new BigDecimal(a.toString()).compareTo(new BigDecimal(b.toString())) == 0;
        }
        if (a instanceof List<?> list && b instanceof List<?> other) {
            return list.size() == other.size() && sameInOrder(list.iterator(), other.iterator());
        }
        if (a instanceof Map<?, ?> map && b instanceof Map<?, ?> other) {
            return map.keySet().equals(other.keySet())
                    && map.entrySet().stream().allMatch(entry -> same(entry.getValue(), other.get(entry.getKey())));
        }
        return a == null ? b == null : a.equals(b);
    }

    private static boolean sameInOrder(Iterator<?> list, Iterator<?> other) {
        while (list.hasNext()) {
            if (!same(list.next(), other.next())) {
                return false;
            }
        }
        return true;
    }

    static Map<String, String> metadata(@Nullable String json) {
        Map<String, String> metadata = new HashMap<>();
        if (json != null && FOUND.read(json, Map.class) instanceof Map<?, ?> values) {
            values.forEach((name, value) -> metadata.put(String.valueOf(name), String.valueOf(value)));
        }
        return metadata;
    }
}
