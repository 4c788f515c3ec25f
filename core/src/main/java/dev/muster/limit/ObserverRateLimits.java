package dev.muster.limit;

import dev.muster.runtime.ObserverRefusal;

/** The rate limits of an observer, which counts nothing. */
public final class ObserverRateLimits implements RateLimits {

    @Override
    public Decision tryAcquire(RateKey key, Limit limit, int permits) {
        throw new ObserverRefusal("take permits of rate limits");
    }
}
