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
 *   waiting for next_tick ───────────────────────────────▶ due ◀──────────────┐
 *      ▲  │ pause                                           │                  │ 30 s later
 *      │  ▼                                                 ├─ cannot fire ─▶ failing
 *      │ paused ── resume: next_tick from now on            │ one fenced transaction for many crons:
 *      │                                                    │ tick rows, jobs, new next_tick
 *      └────────────────────────────────────────────────────┘
 *
 *   static: published by no live node for ten minutes ──▶ gone, keeps next_tick
 *           published again ──▶ as before; what became due meanwhile goes by the misfire policy
 *           gone for 30 days, not paused ──▶ removed
 * </pre>
 *
 * <h2>Late and missed</h2>
 *
 * A tick is missed if it fires more than 30 seconds late; the misfire policy is about missed ticks alone. A tick that is
 * late but not missed fires by itself, however many of its cron are due together. The time that a tick stands in line
 * while the scheduler fires ticks of other crons does not count as lateness (up to five minutes, so that a cluster with
 * more ticks than it can fire thins them out in the end). The time in which nobody led, the database was away or refused
 * to fire the tick does count.
 *
 * <h2>Invariants</h2>
 *
 * <ul>
 *   <li>One job per (cron, tick): the tick's row is unique and commits together with its job.
 *   <li>{@code next_tick} is computed from the tick before it, or from the database's clock when there is none
 *       (created, resumed, changed while no tick was due); never from a node's wall clock. It never goes back. A tick
 *       that is due when its cron is changed still goes by the misfire policy.
 *   <li>Only the leader fires ticks. Without one they wait, and what became due meanwhile goes by the cron's misfire
 *       policy. Nobody stands in: a cron that fires late is better than one that fires by two rules.
 *   <li>A refusal that passes by itself (a lock, a deadlock, no room, a lost connection) is nobody's fault: the whole
 *       batch is tried again within a second. A cron that cannot be fired for a reason of its own is found by halving the
 *       batch, waits for 30 seconds, and neither holds up the others nor takes their place in the batch.
 *   <li>Crons that somebody else has locked, such as a report that is open for hours, are passed by until all others have been
 *       fired, and tried again a moment later.
 *   <li>A transaction takes as many crons as fit into about a second, far less than a leader's lease.
 *   <li>Ticks that pass while a cron is paused are over.
 *   <li>A static cron is what the newest code says: of the definitions that nodes still publish, the one that was
 *       seen first last. An old node that restarts in the middle of a deployment changes nothing.
 *   <li>A static cron that no live node has published for ten minutes is marked as gone by whoever holds the
 *       {@link dev.muster.lock.StartupCoordinator} lease for it. Its service may be down, so nothing of it is lost.
 * </ul>
 */
@NullMarked
package dev.muster.schedule;

import org.jspecify.annotations.NullMarked;
