/**
 * The nodes of a cluster. Each node has one row in {@code muster_nodes} that says who the node is, what it does and when it
 * last sent a heartbeat.
 *
 * <h2>State model</h2>
 *
 * <pre>
 *               started            drain command, SIGTERM         done
 *   joining ───────────▶ active ─────────────────────▶ draining ───────▶ (row removed)
 *                        │    ▲                            │
 *        silent for long │    │ heartbeat                  │
 *                        ▼    │                            │
 *                        stale                             │
 *                          │ silent for longer             │
 *                          ▼                               ▼
 *                        dead ◀────────────────────────────┘         (row removed after an hour)
 *                          │
 *                          └──▶ the node stops its handlers and joins again as a new incarnation
 * </pre>
 *
 * A dead row never becomes alive again; a stale row becomes active with its node's next heartbeat. A status that an operator
 * wrote into a row stays until the node has acted on it, even if the node is declared dead meanwhile and joins again.
 *
 * <h2>Incarnations</h2>
 *
 * An incarnation is one life of a row. A node that starts with the id of an existing row takes that row over with a new
 * incarnation: the newest process wins, and the older one learns of it with its next heartbeat and stops for good. A node that
 * joins again because it was declared dead takes over only its own row. A node that declares another one dead, or takes its
 * row over, releases the claims of that row in the same transaction.
 *
 * <h2>Who is dead</h2>
 *
 * <ul>
 *   <li>No node is declared dead before {@code dead_threshold} has passed since its last heartbeat, by the database's clock.
 *       By then a node has stopped everything that must not run here and elsewhere at the same time.
 *   <li>A node is judged by the heartbeat interval in its own row: it is stale after {@code max(stale_threshold, 2 × own)} and
 *       dead after {@code max(dead_threshold, 3 × own)}. A longer interval is written into the row before the node keeps it.
 *   <li>A claim counts as a heartbeat. It costs the claiming node nothing, because the judging node reads it from {@code
 *       muster_claims}. A node that claims also sends a heartbeat with the short interval at once. A node that has claimed
 *       since its last heartbeat is therefore judged by the thresholds alone, counted from that claim, whatever interval its
 *       row says.
 *   <li>An interval grows only while no node joins or leaves and the node holds nothing that another node would have to take
 *       over. It shrinks at once.
 *   <li>Silence counts only while the database was available; see below.
 * </ul>
 *
 * <h2>A single worker</h2>
 *
 * A worker with {@code worker.claiming = false} must be the only live worker, because its claims have no leases. The
 * transaction in which a worker joins (or joins again) decides whether it may, under a lock that every joining worker takes.
 * A worker that is refused asks the other workers for a heartbeat. If one of them answers and is not draining, the start fails.
 * Otherwise the worker waits until the others have left or are overdue by the rules above, counted from its first request.
 *
 * <h2>When silence counts</h2>
 *
 * Each row tells for which time its node has been in touch with the database: from {@code in_touch_since} to {@code
 * last_heartbeat}, both by the database's clock. While the database answers the node every few seconds (a heartbeat, a leader
 * check or a recovery check), the node's {@linkplain dev.muster.internal.cluster.DatabaseContact contact} is unbroken, and its heartbeats
 * leave {@code in_touch_since} as it is.
 *
 * <pre>
 *              a statement failed, an answer took over 5 s, the connection broke, the node stood still,
 *              or the database's clock moved by over 5 s more or less than the node's own
 *   unbroken ───────────────────────────────────────────────────────────────────────────────────────▶ broken
 *      ▲                                                                                                 │
 *      └──────────────────── the next heartbeat writes in_touch_since = now, as joining does ────────────┘
 * </pre>
 *
 * Overlapping times are joined: each heartbeat, and each judgement of a node, extends its own time by that of every row whose
 * {@code last_heartbeat} lies within it, and so on ({@code muster_known_since}). So a node that has just joined, or whose own
 * contact broke, knows after one or two heartbeats what the other nodes have seen. If all nodes noticed an outage, no row's time
 * spans it: every node then has {@code dead_threshold} to come back. The same holds after the database's clock was set.
 *
 * <p>A node judges others only while its own heartbeat is fresh and its contact is unbroken. An idle node that finds another
 * one overdue sends a heartbeat first.
 */
@NullMarked
package dev.muster.internal.cluster;

import org.jspecify.annotations.NullMarked;
