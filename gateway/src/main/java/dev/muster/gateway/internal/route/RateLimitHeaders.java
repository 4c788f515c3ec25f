package dev.muster.gateway.internal.route;

import dev.muster.ratelimit.Decision;
import dev.muster.ratelimit.RateLimit;
import java.util.LinkedHashMap;
import java.util.Map;

/** The headers that tell a caller how many requests are left. */
public final class RateLimitHeaders {
    private RateLimitHeaders() {}

    public static Map<String, String> of(RateLimit limit, Decision decision) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("X-RateLimit-Limit", String.valueOf(limit.permits()));
        headers.put("X-RateLimit-Remaining", String.valueOf(Math.max(0, decision.remaining())));
        if (!decision.allowed()) {
            long seconds = decision.retryAfter().plusMillis(999).toSeconds();
            headers.put("X-RateLimit-Reset", String.valueOf(Math.max(1, seconds)));
        }
        return headers;
    }
}
