/**
 * Leadership: at most one node at a time does the duties of a role.
 *
 * <p>The row in {@code muster_leaders} decides, never a lock and never a node's own opinion. Its states:
 *
 * <pre>
 *             win: term + 1, timeline of the primary
 *   vacant ────────────────────────────────────────▶ held until expires_at
 *     ▲   release, not renewed in time, another server    │  ▲
 *     └───────────────────────────────────────────────────┘  └─ renew: expires_at, and which session it was
 * </pre>
 *
 * Invariants:
 *
 * <ul>
 *   <li>At most one holder per (role, timeline, term), and a later holder's (timeline, term) is higher. A term ends when the
 *       tables are found on another server: whoever leads there has won there.
 *   <li>A write made {@linkplain dev.muster.leader.Leadership#fenced in a fenced transaction} commits only if its
 *       term was the row's when it was written; take-over waits for such a transaction or ends it, never overlaps it.
 *   <li>A node stops calling itself leader before its lease can have run out, by its own monotonic clock, and on any
 *       error around leadership.
 * </ul>
 */
@NullMarked
package dev.muster.leader;

import org.jspecify.annotations.NullMarked;
