/**
 * Batches: jobs that belong together, with a job that runs when they have ended.
 *
 * <pre>
 *   open ── seal ──▶ sealed ── its condition is decided ──▶ succeeded | failed | cancelled
 * </pre>
 *
 * <ul>
 *   <li>A job belongs to a batch by a column of its row, live and in history. Nothing is counted while jobs end: a counter would be a row
 *       that all of them wait for. Whoever ends jobs asks afterwards whether a sealed batch has live jobs, which is a lookup, and counts
 *       the batch's jobs in history only if it has none.
 *   <li>A batch closes in one transaction, under the lock of its row: it counts, writes its counts and {@code closed_at}, and enqueues
 *       the completion job, whose id was chosen when the batch was created. So it closes once, however many nodes try.
 *   <li>A job can be added until the batch is closed. The transaction that adds it holds a shared lock on the batch's row, and the one
 *       that closes the batch looks for live jobs only after it has locked the row: either it sees the job, or the job is refused.
 *   <li>A batch that was cancelled takes no more jobs. If the program that cancelled it dies before it has cancelled its jobs, the
 *       scheduler leader does it within five seconds.
 *   <li>If the node that ended the last job dies before it has asked, the scheduler leader closes the batch within five seconds.
 * </ul>
 *
 * {@link dev.muster.internal.batch.BatchKeeper} asks: on every node that ends jobs and, for the case that such a node dies, on the leader.
 * {@link dev.muster.internal.batch.BatchStore} is the port to the tables.
 */
@NullMarked
package dev.muster.internal.batch;

import org.jspecify.annotations.NullMarked;
