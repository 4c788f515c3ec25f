package dev.muster.limit;

/** A key and its limit. A node that uses two limits for one key counts them apart, as far as it counts itself. */
record LimitedKey(RateKey key, Limit limit) {}
