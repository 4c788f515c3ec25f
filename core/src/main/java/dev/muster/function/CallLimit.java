package dev.muster.function;

import dev.muster.limit.Limit;
import dev.muster.limit.RateKey;

/**
 * How often a function may be called.
 *
 * @param limit how many calls in which time
 * @param key who shares them
 */
public record CallLimit(Limit limit, RateKey.Scope key) {}
