package dev.muster.gateway.internal;

import dev.muster.document.internal.Json;
import dev.muster.gateway.internal.route.Route;
import dev.muster.job.RawJson;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Makes requests of which each is right but for one thing, or right. So what is behind the checks is reached, too. */
final class FuzzedRequests {
    private static final String DIGITS = "9".repeat(5_000);

    /** Values that are wrong almost everywhere, or that something might stumble over. */
    private static final List<Object> ODD = List.of(
            raw("1e131071"),
            raw("1e-131071"),
            raw("-0e999999999"),
            raw("1e99999999999"),
            raw("9223372036854775808"),
            raw("-1"),
            raw("0"),
            raw("1.5"),
            raw(DIGITS),
            raw("0." + DIGITS),
            raw("true"),
            raw("null"),
            raw("[]"),
            raw("{}"),
            raw("[".repeat(60) + "]".repeat(60)),
            raw("[".repeat(2_000) + "]".repeat(2_000)),
            raw("\"\\u0000\""),
            raw("\"\\ud800\""),
            raw("\"" + "\\u0001".repeat(5_000) + "\""),
            raw("[" + "1,".repeat(10_500) + "1]"),
            "",
            " ",
            "x".repeat(300),
            "x".repeat(40_000),
            "\ud83d\udca5\u202e\u200b",
            "a\u0301\ufeff",
            "\u009b31m\u001b[2J",
            "'; DROP TABLE jobs; --",
            "../../../etc/passwd",
            "<script>alert(1)</script>",
            "${jndi:ldap://x}",
            "%00%0d%0a",
            "NaN",
            "9999-12-31T23:59:59.999999999Z",
            "-999999999-01-01T00:00:00Z",
            "106751991167d",
            Things.NOBODY);

    private final Random random;
    private final ValidRequests valid;

    FuzzedRequests(Random random, Things things) {
        this.random = random;
        this.valid = new ValidRequests(random, things);
    }

    private static RawJson raw(String text) {
        return new RawJson(text);
    }

    /**
     * A request.
     *
     * @param path with the parameters behind it
     * @param headers names and values, by turns; without those that say who calls
     * @param spoilt what is odd about it; empty for a valid one
     */
    record Fuzzed(Route route, String path, @Nullable String body, List<String> headers, String spoilt) {
        @Override
        public String toString() {
            return route.method() + " " + shortened(path) + " " + headers + " " + shortened(String.valueOf(body))
                    + (spoilt.isEmpty() ? "" : " (" + spoilt + ")");
        }
    }

    static String shortened(String text) {
        return text.length() > 500 ? text.substring(0, 500) + "…" : text;
    }

    Fuzzed next(Route route) {
        Map<String, String> path = valid.path(route);
        List<Map.Entry<String, String>> query = new ArrayList<>(valid.query(route));
        Optional<Object> body = valid.body(route, path).map(FuzzedRequests::copy);
        Map<String, String> headers = new LinkedHashMap<>();
        if (route.parameters().stream().anyMatch(one -> one.name().equals("Idempotency-Key")) && random.nextBoolean()) {
            headers.put("Idempotency-Key", "key-" + random.nextInt(30));
        }
        // What has no body has little that could be spoilt.
        if (random.nextInt(4) >= (body.isPresent() ? 2 : 1)) {
            return made(route, path, query, body.map(Json::write).orElse(null), headers, "");
        }
        return spoilt(route, path, query, body, headers);
    }

    private Fuzzed spoilt(
            Route route,
            Map<String, String> path,
            List<Map.Entry<String, String>> query,
            Optional<Object> body,
            Map<String, String> headers) {
        int kind = random.nextInt(10);
        if (body.isPresent() && kind < 7) {
            return kind < 6
                    ? spoiltMember(route, path, query, body.get(), headers)
                    : made(route, path, query, spoiltText(Json.write(body.get())), headers, "text of the body");
        }
        if (kind == 7 && !path.isEmpty()) {
            String name = pick(new ArrayList<>(path.keySet()));
            path.put(name, text());
            return made(route, path, query, body.map(Json::write).orElse(null), headers, name + " in the path");
        }
        if (kind == 8) {
            headers.put(
                    pick(List.of(
                            "Content-Type",
                            "Idempotency-Key",
                            "If-Match",
                            "Last-Event-ID",
                            "X-Request-Id",
                            "traceparent",
                            "Accept",
                            "Origin",
                            "Accept-Encoding")),
                    printable(text()));
            return made(route, path, query, body.map(Json::write).orElse(null), headers, "a header");
        }
        String name = query.isEmpty() || random.nextInt(4) == 0
                ? pick(List.of("no_such", "limit", "before", "metadata.", "metadata.x", "id", "status"))
                : pick(query).getKey();
        query.add(Map.entry(name, text()));
        return made(route, path, query, body.map(Json::write).orElse(null), headers, name + " behind the path");
    }

    private Fuzzed spoiltMember(
            Route route,
            Map<String, String> path,
            List<Map.Entry<String, String>> query,
            Object body,
            Map<String, String> headers) {
        List<Slot> slots = new ArrayList<>();
        collect("", body, slots);
        if (slots.isEmpty()) {
            return made(route, path, query, Json.write(pick(ODD)), headers, "the body");
        }
        Slot slot = pick(slots);
        if (random.nextInt(8) == 0) {
            slot.add("no_such_member", 1);
            return made(route, path, query, Json.write(body), headers, "a member beside " + slot.where());
        }
        if (random.nextInt(8) == 0) {
            slot.remove();
            return made(route, path, query, Json.write(body), headers, slot.where() + " is left out");
        }
        slot.set(pick(ODD));
        return made(route, path, query, Json.write(body), headers, slot.where());
    }

    /** A spot in a body where a value stands. */
    private record Slot(String where, Object container, Object key) {
        @SuppressWarnings("unchecked")
        void set(Object value) {
            if (container instanceof Map<?, ?> object) {
                ((Map<Object, Object>) object).put(key, value);
            } else {
                ((List<Object>) container).set((Integer) key, value);
            }
        }

        void remove() {
            if (container instanceof Map<?, ?> object) {
                object.remove(key);
            } else {
                ((List<?>) container).remove((int) (Integer) key);
            }
        }

        @SuppressWarnings("unchecked")
        void add(String name, Object value) {
            if (container instanceof Map<?, ?> object) {
                ((Map<Object, Object>) object).put(name, value);
            }
        }
    }

    private static void collect(String where, @Nullable Object value, List<Slot> slots) {
        if (value instanceof Map<?, ?> object) {
            object.forEach((name, member) -> {
                slots.add(new Slot(where + "." + name, object, name));
                collect(where + "." + name, member, slots);
            });
        } else if (value instanceof List<?> list) {
            for (int i = 0; i < list.size(); i++) {
                slots.add(new Slot(where + "[" + i + "]", list, i));
                collect(where + "[" + i + "]", list.get(i), slots);
            }
        }
    }

    private static Object copy(Object value) {
        if (value instanceof Map<?, ?> object) {
            Map<Object, @Nullable Object> copy = new LinkedHashMap<>();
            object.forEach((name, member) -> copy.put(name, member == null ? null : copy(member)));
            return copy;
        }
        if (value instanceof List<?> list) {
            List<Object> copy = new ArrayList<>();
            list.forEach(item -> copy.add(item == null ? raw("null") : copy(item)));
            return copy;
        }
        return value;
    }

    private String spoiltText(String good) {
        return switch (random.nextInt(6)) {
            case 0 -> good.substring(0, random.nextInt(good.length()));
            case 1 -> good + pick(List.of(good, "]", "}", ",", "\u0000"));
            // The same member twice: who reads the first one is told something else than who reads the last one.
            case 2 -> good.replaceFirst("\\{(\"[a-z_]+\":)", "{$1\"twice\",$1");
            case 3 -> "\ufeff" + good;
            case 4 -> good.replace(':', '=');
            default -> good.replaceFirst("\"", "'");
        };
    }

    private Fuzzed made(
            Route route,
            Map<String, String> path,
            List<Map.Entry<String, String>> query,
            @Nullable String body,
            Map<String, String> headers,
            String spoilt) {
        String address = route.path();
        for (Map.Entry<String, String> parameter : path.entrySet()) {
            boolean file = route.kind() == Route.Kind.FILE;
            address = address.replace(
                    "{" + parameter.getKey() + "}",
                    file ? parameter.getValue().replaceAll("[^a-zA-Z0-9./_-]", "-") : encoded(parameter.getValue()));
        }
        StringBuilder behind = new StringBuilder();
        query.forEach(parameter -> behind.append(behind.length() == 0 ? '?' : '&')
                .append(encoded(parameter.getKey()))
                .append('=')
                .append(encoded(parameter.getValue())));
        List<String> all = new ArrayList<>();
        headers.forEach((name, value) -> all.addAll(List.of(name, value)));
        return new Fuzzed(route, address + behind, body, all, spoilt);
    }

    /** A text for a slot that takes texts only. */
    private String text() {
        Object odd = pick(ODD);
        String text = odd instanceof RawJson number ? number.text() : String.valueOf(odd);
        return text.length() > 2_000 ? text.substring(0, 2_000) : text;
    }

    /** Clients do not send anything else in headers. */
    private static String printable(String text) {
        return text.replaceAll("[^\\x20-\\x7e]", "?");
    }

    private static String encoded(String text) {
        StringBuilder encoded = new StringBuilder();
        for (byte one : text.getBytes(StandardCharsets.UTF_8)) {
            boolean plain = one >= '0' && one <= '9'
                    || one >= 'a' && one <= 'z'
                    || one >= 'A' && one <= 'Z'
                    || one == '-'
                    || one == '_'
                    || one == '.';
            encoded.append(plain ? String.valueOf((char) one) : String.format("%%%02X", one));
        }
        return encoded.toString();
    }

    private <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }
}
