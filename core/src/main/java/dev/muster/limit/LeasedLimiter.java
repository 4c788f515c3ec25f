package dev.muster.limit;

import dev.muster.runtime.Clock;

/** Takes a block of permits of a window from the database, and serves calls from it. */
final class LeasedLimiter implements RateLimiterBackend {
    private final RecentKeys<Lease> leases;

    LeasedLimiter(RateLimitStore store, Clock clock, int mostKeys) {
        this.leases = new RecentKeys<>(mostKeys, limited -> new Lease(store, clock, limited.key(), limited.limit()));
    }

    @Override
    public Decision tryAcquire(RateKey key, Limit limit, int permits) {
        return leases.get(new LimitedKey(key, limit)).tryAcquire(permits);
    }
}
