package dev.muster.gateway.internal;

import dev.muster.gateway.internal.route.Route;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which web pages of other origins may call, by {@code gateway.cors}. */
final class Cors {
    private static final String METHODS =
            Arrays.stream(Route.Method.values()).map(Enum::name).collect(Collectors.joining(", "));

    private final List<String> origins;

    Cors(List<String> origins) {
        this.origins = origins;
    }

    /** The headers of every answer to a page of this origin. */
    Map<String, String> headers(@Nullable String origin) {
        if (origins.isEmpty()) {
            return Map.of();
        }
        return origin != null && origins.contains(origin)
                ? Map.of(
                        "Access-Control-Allow-Origin",
                        origin,
                        "Vary",
                        "Origin",
                        "Access-Control-Expose-Headers",
                        "X-Request-Id, Retry-After, ETag, Location, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset")
                : Map.of("Vary", "Origin");
    }

    /** The headers of the answer to a browser that asks whether it may send a request; empty if it may not. */
    Optional<Map<String, String>> preflight(@Nullable String origin, @Nullable String method) {
        if (origin == null || method == null || !origins.contains(origin)) {
            return Optional.empty();
        }
        return Optional.of(Map.of(
                "Access-Control-Allow-Origin",
                origin,
                "Vary",
                "Origin",
                "Access-Control-Allow-Methods",
                METHODS,
                "Access-Control-Allow-Headers",
                "Authorization, Content-Type, Idempotency-Key, If-Match, Last-Event-ID, X-API-Key, X-Request-Id,"
                        + " traceparent, tracestate, baggage",
                "Access-Control-Max-Age",
                "600"));
    }
}
