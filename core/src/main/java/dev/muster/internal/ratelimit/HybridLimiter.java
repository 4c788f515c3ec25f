package dev.muster.internal.ratelimit;

import dev.muster.ratelimit.Decision;
import dev.muster.ratelimit.RateKey;
import dev.muster.ratelimit.RateLimit;
import dev.muster.ratelimit.RateLimiterBackend;

/** Counts users and addresses in the memory of this node, and everything else in the database. */
record HybridLimiter(RateLimiterBackend local, RateLimiterBackend shared) implements RateLimiterBackend {

    @Override
    public Decision tryAcquire(RateKey key, RateLimit limit, int permits) {
        return (key.kind().isLocal() ? local : shared).tryAcquire(key, limit, permits);
    }
}
