/**
 * Muster: background jobs on nothing but PostgreSQL. Start at {@link dev.muster.Muster}.
 */
@NullMarked
package dev.muster;

import org.jspecify.annotations.NullMarked;
