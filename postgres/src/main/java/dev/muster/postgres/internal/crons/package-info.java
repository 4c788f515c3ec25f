/**
 * Definitions of crons, and ticks that are fired in transactions of the scheduler leader; {@code dev.muster.schedule} has the rules.
 */
@NullMarked
package dev.muster.postgres.internal.crons;

import org.jspecify.annotations.NullMarked;
