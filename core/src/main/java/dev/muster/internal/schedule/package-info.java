/**
 * Crons: schedules that enqueue jobs.
 *
 * <h2>State model</h2>
 *
 * <pre>
 *                     next_tick reached, by the database's clock
 *   waiting for next_tick ───────────────────────────────▶ due ◀──────────────┐
 *      ▲  │ pause                                           │                  │ 30 s later
 *      │  ▼                                                 ├─ cannot fire ─▶ failing
 *      │ paused ── resume: next_tick from now on            │ one fenced transaction for many crons:
 *      │                                                    │ tick rows, jobs, new next_tick
 *      └────────────────────────────────────────────────────┘
 *
 *   static cron: published by no live node for ten minutes ──▶ gone, keeps next_tick
 *                published again ──▶ as before; ticks that became due meanwhile follow the misfire policy
 *                gone for 30 days, not paused ──▶ removed
 * </pre>
 *
 * <h2>Ticks and time zones</h2>
 *
 * A tick is an instant in UTC. The fields of an expression name moments of the wall clock in the cron's zone:
 *
 * <ul>
 *   <li>A moment that the zone skips (clocks go forward) ticks at the end of the gap; several skipped moments tick once.
 *   <li>A moment that the zone repeats (clocks go back) ticks at its first occurrence; if the hours are a wildcard
 *       ({@code *}, {@code *}{@code /2}, or all 24), it ticks each time.
 * </ul>
 *
 * <h2>Late and missed ticks</h2>
 *
 * A tick is missed if it fires more than 30 seconds late, and the misfire policy applies to missed ticks only. A tick that is
 * late but not missed always fires, however many ticks of its cron are due together. Time that a tick waits while the scheduler
 * fires ticks of other crons does not count as lateness, up to five minutes: in a cluster with more ticks than it can fire, the
 * misfire policy has to drop some in the end. Time counts in which no node led, or the database was away or refused the tick.
 *
 * <h2>Invariants</h2>
 *
 * <ul>
 *   <li>Each (cron, tick) has at most one job: the tick's row is unique and commits together with its job.
 *   <li>{@code next_tick} is computed from the tick before it, or from the database's clock if there is none (the cron was
 *       created, resumed, or changed while no tick was due); never from a node's wall clock. It never goes back. A tick
 *       that is due when its cron is changed still follows the misfire policy.
 *   <li>Only the leader fires ticks; without a leader they wait, and follow the misfire policy later. No other node stands in: a
 *       cron that fires late is better than one that fires by two rules.
 *   <li>Ticks that pass while a cron is paused are dropped.
 * </ul>
 *
 * <h2>Failures</h2>
 *
 * <ul>
 *   <li>After a transient error (a lock, a deadlock, no room, a lost connection) the whole chunk is tried again within a second.
 *   <li>A cron that cannot be fired for a reason of its own is found by halving the chunk. It waits for 30 seconds, and neither
 *       delays the other crons nor keeps them from being read.
 *   <li>Crons whose rows are locked by another transaction, which may be open for hours, are skipped until all others have been
 *       fired, and tried again a moment later.
 *   <li>A transaction takes as many crons as it can fire in about a second, which is far less than a leader's lease.
 * </ul>
 *
 * <h2>Static crons</h2>
 *
 * <ul>
 *   <li>The newest code defines a static cron: of the definitions that nodes still publish, the one that was first seen most
 *       recently. An old node that restarts in the middle of a deployment changes nothing.
 *   <li>A static cron that no live node has published for ten minutes is marked as gone, by the node that holds the {@link
 *       dev.muster.lock.StartupCoordinator} lease for it. Its row stays, because its service may only be down.
 * </ul>
 */
@NullMarked
package dev.muster.internal.schedule;

import org.jspecify.annotations.NullMarked;
