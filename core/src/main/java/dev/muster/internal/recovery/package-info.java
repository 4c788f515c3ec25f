/**
 * Recovery: marks silent nodes as stale or dead, takes back the claims of dead nodes and claims whose lease ran out, ends jobs
 * that no node claimed in time, and frees jobs that wait for others.
 *
 * <h2>Who does it</h2>
 *
 * The scheduler leader does it in {@linkplain dev.muster.leader.Leadership#fenced fenced} transactions. While the leader is
 * gone, any node stands in without the fence: when the leader's row has been expired or empty for a second, or when the
 * leader's node is itself overdue.
 *
 * <pre>
 *                 leads, or nobody has led for 1 s, or the leader's node was silent for dead_threshold + 1 s
 *   off duty ─────────────────────────────────────────────────────────────────────────────────────────▶ on duty
 *       ▲                                                                                                 │
 *       └────────────────────── another node leads and sends heartbeats ──────────────────────────────────┘
 * </pre>
 *
 * The statements are guarded: if two nodes recover the same thing, it happens once.
 *
 * <h2>Dead nodes</h2>
 *
 * <ul>
 *   <li>{@link dev.muster.internal.recovery.DeadNodeRecovery} asks in one statement which nodes are overdue and whether leases ran out.
 *       It opens a transaction only if there are some, and asks again when the next node could be overdue. The statement takes
 *       constant time, however many dead tuples an open transaction keeps in the tables, and travels with the heartbeat.
 *       {@link dev.muster.cluster} describes when silence counts.
 *   <li>Each node is declared dead in its own transaction, which also releases what the node held. If it fails, the other
 *       nodes are still judged and leases are still swept.
 *   <li>Claims whose lease ran out are taken back only after the database has been available for as long as their holders
 *       need to renew them.
 * </ul>
 *
 * <h2>Slow tasks</h2>
 *
 * {@link dev.muster.internal.recovery.OverdueJobs} does what may take long on its own thread: jobs that expired, jobs that wait, and the
 * search for leases where none should be left. Each task gets a limited share of the time, so that none of them delays a
 * heartbeat, a judgement of a node or a renewal.
 *
 * <h2>Who is told</h2>
 *
 * A job may end here: it expired, or it is a dead letter after too many crashes. After the commit this node tells its own {@link
 * dev.muster.job.JobListener}, because no other node knows of it.
 */
@NullMarked
package dev.muster.internal.recovery;

import org.jspecify.annotations.NullMarked;
