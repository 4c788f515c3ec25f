package dev.muster.ratelimit;

/**
 * Decides about permits. Muster has one for each {@code rate_limit.mode}; an application gives its own to {@code
 * Muster.builder().rateLimiter(…)}. It is called by many threads at once.
 */
@FunctionalInterface
public interface RateLimiterBackend {

    /**
     * Takes all of these permits or none, and does not wait for the next window.
     *
     * @param permits 1 to the permits of the limit
     * @throws RuntimeException if it cannot decide; it must not allow the call then
     */
    Decision tryAcquire(RateKey key, RateLimit limit, int permits);
}
