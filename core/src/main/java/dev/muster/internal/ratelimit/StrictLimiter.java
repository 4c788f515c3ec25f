package dev.muster.internal.ratelimit;

import dev.muster.internal.ratelimit.RateLimitStore.Ask;
import dev.muster.internal.ratelimit.RateLimitStore.Taken;
import dev.muster.ratelimit.Decision;
import dev.muster.ratelimit.RateKey;
import dev.muster.ratelimit.RateLimit;
import dev.muster.ratelimit.RateLimiterBackend;

/** Asks the database with every call. */
record StrictLimiter(RateLimitStore store) implements RateLimiterBackend {

    @Override
    public Decision tryAcquire(RateKey key, RateLimit limit, int permits) {
        Taken taken = store.take(new Ask(key, limit, permits, permits));
        return taken.granted() == permits
                ? Decision.allow(taken.remaining())
                : Decision.refuse(taken.remaining(), taken.left());
    }
}
