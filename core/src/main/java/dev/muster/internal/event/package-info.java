/**
 * Live events: what happens in the cluster, for people who look at it.
 *
 * <h2>States of a node's feed</h2>
 *
 * <pre>
 *   asleep ── the first client comes ──▶ awake ── the last client has gone ──▶ asleep
 * </pre>
 *
 * Asleep there is no thread, and no statement is sent. Awake one thread makes a round every half second:
 *
 * <pre>
 *   1. How far can history be read? {@link dev.muster.internal.event.SettledTime}
 *   2. Clients that came with an older position get what they have missed.
 *   3. The jobs that have ended since the last round, up to 500 one by one and the rest as a count.
 *   4. Every second: the counts of live jobs, the watched jobs, the runs.
 *   5. Every two seconds, or as soon as another node has announced a change: nodes, leaders and crons, by their fingerprints.
 * </pre>
 *
 * <h2>States of a client</h2>
 *
 * <pre>
 *   behind ── caught up within a round ──▶ live ── too slow, too late, or the node drains ──▶ reset
 *                                           └───────────── leaves ─────────────▶ gone
 * </pre>
 *
 * <h2>Invariants</h2>
 *
 * <ul>
 *   <li>Nothing is written for listeners, neither rows nor notifications: jobs cost the same with and without them.
 *   <li>Without a client there is no query, and the number of queries does not depend on the number of clients.
 *   <li>Every job that has ended and is still in history is sent once, or counted, or the client gets a reset.
 *   <li>Jobs come in the order of their {@link dev.muster.event.Position}. A position is a point in history, not a number that a node gives:
 *       whoever names one to another node continues from there, and gets what came after it and nothing else.
 *   <li>No client makes the feed wait. What a client has not taken yet is bounded, and shared with all other clients.
 * </ul>
 *
 * <h2>Late commits</h2>
 *
 * A transaction that ends a job sets {@code finished_at} by the clock and commits later. If a round read up to the present, it would pass by
 * jobs that become visible afterwards, with an older time. So a round reads only up to a moment before which no transaction can end a job any
 * more, which the numbers of the open transactions tell; usually that is the moment of the round before. A transaction that stays open,
 * of any program, would hold that up. So after two seconds the feed continues without it, remembers what it has sent since, and looks back for
 * jobs that appear late. Those are sent out of order, under the position that the client has reached.
 */
@NullMarked
package dev.muster.internal.event;

import org.jspecify.annotations.NullMarked;
