/**
 * Named locks that end by themselves.
 *
 * <pre>
 *   free ── tryAcquire: a new, higher token ──▶ held until expires_at ── renew ──┐
 *    ▲                                            │            ▲                │
 *    └──── release, or time is up ────────────────┘            └────────────────┘
 * </pre>
 *
 * Invariants:
 *
 * <ul>
 *   <li>Times are the database's. A holder measures its own remaining time by its monotonic clock, from before it asked.
 *   <li>Of two holders of one lock the later has the higher token. A lock cannot stop a holder that froze and woke up
 *       after its time; a store that remembers the highest {@linkplain dev.muster.lock.HeldLock#fence fence} can.
 *   <li>Renewal and release name the token, and change nothing for anyone else's.
 * </ul>
 */
@NullMarked
package dev.muster.lock;

import org.jspecify.annotations.NullMarked;
