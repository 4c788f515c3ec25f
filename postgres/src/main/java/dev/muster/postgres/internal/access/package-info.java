/** API keys, the audit and the database's time in PostgreSQL; {@code dev.muster.access} says what is promised. */
@NullMarked
package dev.muster.postgres.internal.access;

import org.jspecify.annotations.NullMarked;
