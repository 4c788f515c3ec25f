package dev.muster.limit;

import dev.muster.limit.RateLimitStore.Ask;
import dev.muster.limit.RateLimitStore.Taken;

/** Asks the database with every call. */
record StrictLimiter(RateLimitStore store) implements RateLimiterBackend {

    @Override
    public Decision tryAcquire(RateKey key, Limit limit, int permits) {
        Taken taken = store.take(new Ask(key, limit, permits, permits));
        return taken.granted() == permits
                ? Decision.allow(taken.remaining())
                : Decision.refuse(taken.remaining(), taken.left());
    }
}
