/** Batches of jobs in PostgreSQL; {@code dev.muster.batch} says how they close. */
@NullMarked
package dev.muster.postgres.internal.batches;

import org.jspecify.annotations.NullMarked;
