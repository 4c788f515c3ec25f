/**
 * Crons: schedules that enqueue jobs.
 *
 * <h2>A tick</h2>
 *
 * A tick is an instant in UTC. The fields of an expression name moments of the wall clock in the cron's zone:
 *
 * <ul>
 *   <li>A moment that the zone skips (clocks go forward) ticks at the end of the gap; several of them tick once.
 *   <li>A moment that the zone repeats (clocks go back) ticks at its first occurrence; if the hours are a wildcard
 *       ({@code *}, {@code *}{@code /2}, or all 24), it ticks each time.
 * </ul>
 *
 * <pre>
 *                     next_tick reached, by the database's clock
 *   waiting for next_tick ───────────────────────────────▶ due
 *      ▲  │ pause                                           │ one fenced transaction:
 *      │  ▼                                                 │ tick rows, jobs, new next_tick
 *      │ paused ── resume: next_tick from now on            │
 *      └────────────────────────────────────────────────────┘
 * </pre>
 *
 * <h2>Invariants</h2>
 *
 * <ul>
 *   <li>One job per (cron, tick): the tick's row is unique and commits together with its job.
 *   <li>{@code next_tick} is computed from the tick before it, or from the database's clock when there is none
 *       (created, changed, resumed); never from a node's wall clock. It never goes back.
 *   <li>Only the leader fires ticks. Without one they wait, and what became due meanwhile goes by the cron's misfire
 *       policy. Nobody stands in: a cron that fires late is better than one that fires by two rules.
 *   <li>Ticks that pass while a cron is paused are over.
 *   <li>A static cron is what the newest code says: of the definitions that nodes still publish, the one that was
 *       seen first last. An old node that restarts in the middle of a deployment changes nothing.
 *   <li>A static cron that no live node has published for ten minutes is gone, and removed by whoever holds the
 *       {@link dev.muster.lock.StartupCoordinator} lease for it.
 * </ul>
 */
@NullMarked
package dev.muster.schedule;

import org.jspecify.annotations.NullMarked;
