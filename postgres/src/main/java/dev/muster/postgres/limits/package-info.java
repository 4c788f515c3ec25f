/** Counts of rate limits in PostgreSQL; {@code dev.muster.limit} says what is promised. */
@NullMarked
package dev.muster.postgres.limits;

import org.jspecify.annotations.NullMarked;
