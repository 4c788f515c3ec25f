/**
 * Drops what is older than its retention, and writes the metrics of each minute.
 */
@NullMarked
package dev.muster.postgres.upkeep;

import org.jspecify.annotations.NullMarked;
