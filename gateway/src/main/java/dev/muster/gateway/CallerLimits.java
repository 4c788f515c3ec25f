package dev.muster.gateway;

import dev.muster.access.Caller;
import dev.muster.gateway.route.RateLimitHeaders;
import dev.muster.gateway.route.Refusal;
import dev.muster.limit.BackendRateLimits;
import dev.muster.limit.Decision;
import dev.muster.limit.Limit;
import dev.muster.limit.RateKey;
import dev.muster.limit.RateLimits;
import dev.muster.runtime.Clock;
import java.util.Map;
import java.util.Optional;

/** Limits how many requests each caller may send, by {@code gateway.requests_per_minute}. Each gateway counts for itself. */
final class CallerLimits {
    private final Optional<Limit> limit;
    private final RateLimits counts;

    CallerLimits(Optional<Integer> perMinute, Clock clock) {
        this.limit = perMinute.map(Limit::perMinute);
        this.counts = BackendRateLimits.inMemory(clock);
    }

    /**
     * Counts a request.
     *
     * @return the headers that tell the caller how many are left
     * @throws Refusal if there are none left
     */
    Map<String, String> take(Caller caller) {
        if (limit.isEmpty()) {
            return Map.of();
        }
        String who = caller.id().length() > 200 ? caller.id().substring(0, 200) : caller.id();
        Decision decision = counts.tryAcquire(RateKey.user("gateway", who), limit.get());
        Map<String, String> headers = RateLimitHeaders.of(limit.get(), decision);
        if (!decision.allowed()) {
            Refusal refusal = Refusal.of(
                            429,
                            "too_many_requests",
                            "you may send " + limit.get().permits() + " requests in a minute")
                    .retryAfter(decision.retryAfter());
            headers.forEach(refusal::header);
            throw refusal;
        }
        return headers;
    }
}
