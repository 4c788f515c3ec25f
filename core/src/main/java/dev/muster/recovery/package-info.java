/**
 * Keeps the cluster in order: silent nodes are marked, their claims and those whose lease ran out go to others, jobs that
 * nobody claimed in time end, jobs that wait are freed.
 *
 * <p>The scheduler leader does it, {@linkplain dev.muster.leader.Leadership#fenced fenced}. Any node stands in, without the
 * fence, while the leader is gone: its row has been expired or empty for a second, or its node is itself overdue.
 *
 * <pre>
 *                 leads, or nobody has led for 1 s, or the leader's node was silent for dead_threshold + 1 s
 *   off duty ─────────────────────────────────────────────────────────────────────────────────────────▶ on duty
 *       ▲                                                                                                 │
 *       └──────────────────────────── another node leads, and was heard of ───────────────────────────────┘
 * </pre>
 *
 * Invariants:
 *
 * <ul>
 *   <li>The statements are guarded: two nodes who do the same do it once.
 *   <li>{@link dev.muster.recovery.DeadNodeRecovery} asks with one statement which nodes are overdue and whether leases ran out, and
 *       opens a transaction only for that; it asks again when the next node could be overdue. The question is answered in
 *       constant time, however many dead rows an open transaction keeps in the tables, and shares a statement with the
 *       heartbeat. When silence counts is described in {@link dev.muster.cluster}.
 *   <li>Each node is declared dead in a transaction of its own, which releases what it held. One that fails keeps neither the
 *       other nodes from being judged nor leases from being swept.
 *   <li>Leases that ran out are taken back only after the database has been available for as long as holders need to
 *       renew them.
 *   <li>What may take long has a thread of its own, {@link dev.muster.recovery.OverdueJobs}, and at most a share of the
 *       time: jobs that expired, jobs that wait, and the search for leases where none should be left. It delays no heartbeat,
 *       no verdict and no renewal.
 *   <li>A job that ends here, as a dead letter after too many crashes or because it expired, is told to this node's {@link
 *       dev.muster.job.JobListener} after the commit: nobody else can.
 * </ul>
 */
@NullMarked
package dev.muster.recovery;

import org.jspecify.annotations.NullMarked;
