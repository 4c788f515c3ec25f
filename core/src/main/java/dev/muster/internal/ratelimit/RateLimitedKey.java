package dev.muster.internal.ratelimit;

import dev.muster.ratelimit.RateKey;
import dev.muster.ratelimit.RateLimit;

/** A key and its limit. A node that uses two limits for one key counts them apart, as far as it counts itself. */
record RateLimitedKey(RateKey key, RateLimit limit) {}
