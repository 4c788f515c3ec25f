/** Counts of rate limits in PostgreSQL; {@code dev.muster.ratelimit} says what is promised. */
@NullMarked
package dev.muster.postgres.internal.ratelimits;

import org.jspecify.annotations.NullMarked;
