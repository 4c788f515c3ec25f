package dev.muster.internal.ratelimit;

import dev.muster.config.RateLimitConfig;
import dev.muster.ratelimit.Decision;
import dev.muster.ratelimit.InvalidRateLimit;
import dev.muster.ratelimit.RateKey;
import dev.muster.ratelimit.RateLimit;
import dev.muster.ratelimit.RateLimiterBackend;
import dev.muster.ratelimit.RateLimits;
import dev.muster.runtime.Clock;

/** {@link RateLimits} over a {@link RateLimiterBackend}. */
public record BackendRateLimits(RateLimiterBackend backend) implements RateLimits {
    /** How many keys a node remembers; that many counts of addresses take 26 MB. */
    private static final int MOST_KEYS = 100_000;

    /** With Muster's own backend for this mode. */
    public static RateLimits of(RateLimitConfig.Mode mode, RateLimitStore store, Clock clock) {
        return new BackendRateLimits(
                switch (mode) {
                    case STRICT -> new StrictLimiter(store);
                    case RESERVED -> new ReservingLimiter(store, clock, MOST_KEYS);
                    case HYBRID -> new HybridLimiter(new LocalLimiter(clock, MOST_KEYS), new StrictLimiter(store));
                });
    }

    /** Counts every key in the memory of this node alone; for a node that may write nothing. */
    public static RateLimits inMemory(Clock clock) {
        return new BackendRateLimits(new LocalLimiter(clock, MOST_KEYS));
    }

    @Override
    public Decision tryAcquire(RateKey key, RateLimit limit, int permits) {
        if (permits < 1 || permits > limit.permits()) {
            throw new InvalidRateLimit("a call for the rate limit " + key + " takes 1 to " + limit.permits()
                    + " permits, which are all of its window, not " + permits);
        }
        return backend.tryAcquire(key, limit, permits);
    }
}
