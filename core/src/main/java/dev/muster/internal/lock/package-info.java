/**
 * Named locks that expire.
 *
 * <pre>
 *   free ── tryAcquire: a new, higher token ──▶ held until expires_at ── renew ──┐
 *    ▲                                            │            ▲                │
 *    └──── release, or expired ───────────────────┘            └────────────────┘
 * </pre>
 *
 * Invariants:
 *
 * <ul>
 *   <li>Expiry goes by the database's clock. A holder measures its own remaining time by its monotonic clock, from the moment
 *       before it sent the request.
 *   <li>Of two holders of one lock, the later one has the higher token. A lock cannot stop a holder that froze and woke up
 *       after its lock had expired; a store that remembers the highest {@linkplain dev.muster.lock.HeldLock#fence fence} can.
 *   <li>Renewal and release name the token, and change nothing if the lock has another token.
 * </ul>
 */
@NullMarked
package dev.muster.internal.lock;

import org.jspecify.annotations.NullMarked;
