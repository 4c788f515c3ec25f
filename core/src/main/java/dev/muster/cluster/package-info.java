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
 *   <li>Nobody is declared dead before {@code dead_threshold} has passed since its last heartbeat, by the database's
 *       clock. What a node must have stopped before others may take it, it stops by then.
 *   <li>A node is judged by the interval in its row, which is written before the node keeps it: stale after {@code
 *       max(stale_threshold, 2 × own)}, dead after {@code max(dead_threshold, 3 × own)}. A claim is as good as a heartbeat:
 *       the judge reads it off {@code muster_claims}, so it costs those who claim nothing. A node that claims sends a
 *       heartbeat with the short interval at once; so one that has claimed since its last heartbeat is judged by the
 *       thresholds alone, counted from that claim, whatever interval its row says.
 *   <li>An interval grows only while membership is stable and the node holds nothing that someone else would have to
 *       take over; it shrinks at once.
 *   <li>Silence counts only while the database was available, as the rows tell: see below.
 *   <li>A worker with {@code worker.claiming = false} is the only live worker: its claims have no leases. Whether a worker
 *       may join, or join again, beside those there are is decided in the transaction in which it joins, under a lock that
 *       all workers take then. One that may not asks the others for a sign of life. If one of them sends a heartbeat and
 *       does not drain, the start fails; else the node waits until they have left or are overdue, by the rules above,
 *       counting from its first question.
 *   <li>A dead row never comes back to life; a stale one does with its next heartbeat. What an operator wrote into a row's
 *       status stands until the node has acted on it, also if the node is declared dead meanwhile and joins again.
 * </ul>
 *
 * <h2>When silence counts</h2>
 *
 * Each row tells for which time its node has had the database: from {@code in_touch_since} to {@code last_heartbeat}, both by
 * the database's clock. While the node gets an answer every few seconds (to a heartbeat, a look at the leaders, or a look
 * for what is to be done), its {@linkplain dev.muster.cluster.DatabaseContact contact} is unbroken, and its heartbeats leave {@code
 * in_touch_since} as it is.
 *
 * <pre>
 *              a statement failed, an answer took over 5 s, the connection broke, the node stood still,
 *              or the database's clock moved by over 5 s more or less than the node's own
 *   unbroken ───────────────────────────────────────────────────────────────────────────────────────▶ broken
 *      ▲                                                                                                 │
 *      └──────────────────── the next heartbeat writes in_touch_since = now, as joining does ────────────┘
 * </pre>
 *
 * Times that overlap are one: a heartbeat, and every judgement, extends its own time by that of each row whose {@code
 * last_heartbeat} lies in it, and so on ({@code muster_known_since}). So a node that has just joined, or whose own
 * contact broke, knows after a heartbeat or two what the others have seen. No row's time spans an outage that all of them
 * noticed: after it everybody has {@code dead_threshold} to come back. The same holds after the database's clock was set.
 *
 * <p>A node judges only while its own heartbeat is fresh and its contact unbroken; one that is idle and finds somebody overdue
 * sends a heartbeat first.
 */
@NullMarked
package dev.muster.cluster;

import org.jspecify.annotations.NullMarked;
