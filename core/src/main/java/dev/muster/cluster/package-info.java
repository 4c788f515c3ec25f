/**
 * The nodes of a cluster: each has a row that says who it is, what it does and when it was last heard of.
 *
 * <pre>
 *               starts             told to, or SIGTERM            done
 *   joining ───────────▶ active ─────────────────────▶ draining ───────▶ (row removed)
 *                        │    ▲                            │
 *        silent for long │    │ heard of again             │
 *                        ▼    │                            │
 *                        stale                             │
 *                          │ silent for longer             │
 *                          ▼                               ▼
 *                        dead ◀────────────────────────────┘         (row removed after an hour)
 *                          │
 *                          └──▶ joining again, as a new incarnation: handlers stopped first
 * </pre>
 *
 * Invariants:
 *
 * <ul>
 *   <li>An incarnation is one life of a row. A node that starts under the id of a row takes the row over with a new
 *       incarnation, whoever had it: the newest wins, the older one finds out with its next heartbeat and stops for good.
 *       A node that joins again because it was declared dead takes over nothing but its own row.
 *   <li>Whoever takes a row's life, by declaring it dead or by taking it over, releases its claims in the same
 *       transaction.
 *   <li>A node is judged by the interval in its row, which is written before the node keeps it: stale after {@code
 *       max(stale_threshold, 2 × own)}, dead after {@code max(dead_threshold, 3 × own)}. A claim or a renewal is as good
 *       as a heartbeat: the judge reads it off the leases, so it costs those who claim nothing.
 *   <li>An interval grows only while membership is stable and the node holds nothing that someone else would have to
 *       take over; it shrinks at once.
 *   <li>Silence counts only while the judge itself was in {@linkplain dev.muster.cluster.Contact touch} with the
 *       database.
 *   <li>A dead row never comes back to life; a stale one does with its next heartbeat. What an operator wrote into a row's
 *       status stands until the node has acted on it.
 * </ul>
 */
@NullMarked
package dev.muster.cluster;

import org.jspecify.annotations.NullMarked;
