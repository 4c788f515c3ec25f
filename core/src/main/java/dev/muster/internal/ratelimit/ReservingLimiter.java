package dev.muster.internal.ratelimit;

import dev.muster.ratelimit.Decision;
import dev.muster.ratelimit.RateKey;
import dev.muster.ratelimit.RateLimit;
import dev.muster.ratelimit.RateLimiterBackend;
import dev.muster.runtime.Clock;

/** Takes a block of permits of a window from the database, and serves calls from it. */
final class ReservingLimiter implements RateLimiterBackend {
    private final RecentKeys<ReservedPermits> reserved;

    ReservingLimiter(RateLimitStore store, Clock clock, int mostKeys) {
        this.reserved = new RecentKeys<>(
                mostKeys, limited -> new ReservedPermits(store, clock, limited.key(), limited.limit()));
    }

    @Override
    public Decision tryAcquire(RateKey key, RateLimit limit, int permits) {
        return reserved.get(new RateLimitedKey(key, limit)).tryAcquire(permits);
    }
}
