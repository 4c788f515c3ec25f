/**
 * Lines of jobs in PostgreSQL; {@link dev.muster.line} describes states and rules, {@code R__functions_lines.sql} admits jobs.
 * {@link dev.muster.postgres.lines.LineSweep} finds the jobs that nobody has admitted, by the time at which they are due, and
 * {@link dev.muster.postgres.lines.LineFloor} is the place from which it continues.
 */
@NullMarked
package dev.muster.postgres.lines;

import org.jspecify.annotations.NullMarked;
