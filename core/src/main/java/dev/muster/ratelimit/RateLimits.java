package dev.muster.ratelimit;

import dev.muster.runtime.Writes;

/**
 * Limits how often something may be done in the cluster. Works on a Muster that is built and not started, too.
 *
 * <pre>{@code
 * Decision decision = muster.rateLimits().tryAcquire(RateKey.user("login", name), RateLimit.perMinute(5));
 * if (!decision.allowed()) {
 *     throw new TooManyRequests(decision.retryAfter());
 * }
 * }</pre>
 *
 * The setting {@code rate_limit.mode} says how exact that is, and what it costs. A test without a database uses a lambda.
 */
@FunctionalInterface
public interface RateLimits {

    /** Takes one permit. See {@link #tryAcquire(RateKey, RateLimit, int)}. */
    @Writes("take permits of rate limits")
    default Decision tryAcquire(RateKey key, RateLimit limit) {
        return tryAcquire(key, limit, 1);
    }

    /**
     * Takes all of these permits or none, without waiting for the next window.
     *
     * @param permits 1 to the permits of the limit
     * @throws InvalidRateLimit if more permits are asked for than the limit has, or fewer than one
     * @throws dev.muster.runtime.DatabaseUnavailable if the database had to be asked and did not answer. Then the caller has no permits;
     *     it decides for itself whether to continue
     */
    @Writes("take permits of rate limits")
    Decision tryAcquire(RateKey key, RateLimit limit, int permits);
}
