package dev.muster.function;

import dev.muster.ratelimit.RateKey;
import dev.muster.ratelimit.RateLimit;

/**
 * How often a function may be called.
 *
 * @param limit how many calls in which time
 * @param key who shares them
 */
public record CallLimit(RateLimit limit, RateKey.Kind key) {}
