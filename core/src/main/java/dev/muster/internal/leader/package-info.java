/**
 * Leader election: at most one node at a time does the work of a role.
 *
 * <h2>State model</h2>
 *
 * The role's row in {@code muster_leaders} decides who leads, never a lock and never a node's own view:
 *
 * <pre>
 *             win: term + 1, timeline of the primary
 *   vacant ────────────────────────────────────────▶ held until expires_at
 *     ▲   released, not renewed in time, other server     │  ▲
 *     └───────────────────────────────────────────────────┘  └─ renew: sets expires_at and the leader's session
 * </pre>
 *
 * There is at most one holder per (role, timeline, term), and a later holder has a higher (timeline, term). A term ends when
 * nodes find the tables on another server, after a failover for example: the leader there has to win an election there.
 *
 * <h2>Trust window</h2>
 *
 * A node stops calling itself the leader before its lease can have run out, by its own monotonic clock, and after any error
 * in an election check.
 *
 * <h2>Fenced transactions</h2>
 *
 * A write made {@linkplain dev.muster.leader.Leadership#fenced in a fenced transaction} commits only if its term was the row's
 * term when it was written. A node that takes over waits for such a transaction or ends it; the two never overlap.
 */
@NullMarked
package dev.muster.internal.leader;

import org.jspecify.annotations.NullMarked;
