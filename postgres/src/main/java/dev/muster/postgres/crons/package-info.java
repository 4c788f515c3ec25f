/**
 * Crons and their ticks.
 */
@NullMarked
package dev.muster.postgres.crons;

import org.jspecify.annotations.NullMarked;
