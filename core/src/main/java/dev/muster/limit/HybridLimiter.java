package dev.muster.limit;

/** Counts users and addresses in the memory of this node, and everything else in the database. */
record HybridLimiter(RateLimiterBackend local, RateLimiterBackend shared) implements RateLimiterBackend {

    @Override
    public Decision tryAcquire(RateKey key, Limit limit, int permits) {
        return (key.scope().isLocal() ? local : shared).tryAcquire(key, limit, permits);
    }
}
