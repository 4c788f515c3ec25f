package dev.muster.gateway.internal;

import dev.muster.access.Caller;
import dev.muster.gateway.internal.route.RateLimitHeaders;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.internal.ratelimit.BackendRateLimits;
import dev.muster.ratelimit.Decision;
import dev.muster.ratelimit.RateKey;
import dev.muster.ratelimit.RateLimit;
import dev.muster.ratelimit.RateLimits;
import dev.muster.runtime.Clock;
import java.util.Map;
import java.util.Optional;

/** Limits how many requests each caller may send, by {@code gateway.requests_per_minute}. Each gateway counts for itself. */
final class CallerLimits {
    private final Optional<RateLimit> limit;
    private final RateLimits counts;

    CallerLimits(Optional<Integer> perMinute, Clock clock) {
        this.limit = perMinute.map(RateLimit::perMinute);
        this.counts = BackendRateLimits.inMemory(clock);
    }

    /**
     * Counts a request.
     *
     * @return the headers that tell the caller how many are left
     * @throws Refusal if there are none left
     */
    Map<String, String> take(Caller caller) {
        return take(caller, 1, "");
    }

    /**
     * Counts the calls of a batch, which came as one request that is counted already.
     *
     * @throws Refusal if fewer are left than the batch has
     */
    void takeRest(Caller caller, int calls) {
        if (calls > 1) {
            take(caller, calls - 1, "; this batch counts as " + calls);
        }
    }

    private Map<String, String> take(Caller caller, int requests, String explanation) {
        if (limit.isEmpty()) {
            return Map.of();
        }
        int permits = limit.get().permits();
        String who = caller.id().length() > 200 ? caller.id().substring(0, 200) : caller.id();
        Decision decision = counts.tryAcquire(RateKey.user("gateway", who), limit.get(), Math.min(requests, permits));
        Map<String, String> headers = RateLimitHeaders.of(limit.get(), decision);
        if (!decision.allowed()) {
            Refusal refusal = Refusal.of(
                            429,
                            "too_many_requests",
                            "your requests are limited to " + permits + " in a minute (gateway.requests_per_minute)"
                                    + explanation)
                    .retryAfter(decision.retryAfter());
            headers.forEach(refusal::header);
            throw refusal;
        }
        return headers;
    }
}
