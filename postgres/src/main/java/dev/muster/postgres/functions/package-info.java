/** The transactions of queries and mutations; {@code dev.muster.function} says what is promised. */
@NullMarked
package dev.muster.postgres.functions;

import org.jspecify.annotations.NullMarked;
