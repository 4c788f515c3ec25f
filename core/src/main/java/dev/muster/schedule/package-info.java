/**
 * Crons: schedules that enqueue jobs. Write a method with {@link dev.muster.schedule.Cron}, or create crons with {@link dev.muster.schedule.Crons}.
 *
 * <p>A tick is an instant in UTC. The fields of an expression name moments of the wall clock in the cron's zone:
 *
 * <ul>
 *   <li>A moment that the zone skips (clocks go forward) ticks at the end of the gap; several skipped moments tick once.
 *   <li>A moment that the zone repeats (clocks go back) ticks at its first occurrence; if the hours are a wildcard
 *       ({@code *}, {@code *}{@code /2}, or all 24), it ticks each time.
 * </ul>
 *
 * <p>A tick has at most one job. A tick that fires more than 30 seconds late is missed, and follows its cron's {@link dev.muster.schedule.Misfire}.
 */
@NullMarked
package dev.muster.schedule;

import org.jspecify.annotations.NullMarked;
