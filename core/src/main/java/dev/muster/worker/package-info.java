/**
 * The engine of a node that runs jobs.
 *
 * <pre>
 *   ClaimSession ──▶ Pump ──▶ LocalBuffer ──▶ JobThreads ──▶ JobRun ──▶ handler
 *        ▲             ▲                                       │
 *        └── Outcome ──┴────────────── Completer ◀─────────────┘
 *
 *   Claimer    how many jobs to ask for, and when
 *   Turns      whether both pumps may exchange at once
 *   Leases     renews claims, shows long runs as running, hears of cancellations      (talks to the database)
 *   Deadlines  timeouts, leases about to end, jobs that wait too long in the buffer   (never does)
 * </pre>
 *
 * <h2>A claim inside its node</h2>
 *
 * <pre>
 *   BUFFERED ──▶ RUNNING ──▶ ENDED      one outcome was queued, to be written under the claim's token
 *       │           │
 *       └───────────┴──────▶ LOST       someone else has the job; nothing is written
 * </pre>
 *
 * Every transition is a compare-and-set in {@link dev.muster.worker.OpenClaim}; whoever wins the one to
 * ENDED queues the only outcome. The handler of an ended or lost claim may still be running if it ignores
 * interruption: it keeps its thread, and what it returns is dropped.
 *
 * <h2>Rules</h2>
 *
 * <ul>
 *   <li>A claim is open until its outcome was accepted or rejected by the database, or it was lost. The
 *       node's room is its threads and prefetch less its open claims, so outcomes that cannot be written
 *       stop the claiming.
 *   <li>Nothing starts whose lease may have ended by the node's own monotonic clock, counted from before
 *       the claim was sent.
 *   <li>What is held in memory is bounded in bytes: args come with a claim while all that came so take less than an eighth of
 *       the heap; larger ones are read by the thread that runs their job, before the handler is entered. Threads start
 *       nothing while results worth a thirty-second of the heap wait to be written.
 *   <li>An outcome that was not written (the database is away) stays queued; writing it twice is harmless.
 *   <li>A node that can renew and cannot write keeps no job from the others: what goes back in line is handed back over the
 *       control connection after a few seconds, and what has ended is renewed for one more lease and then left alone. What
 *       may run only once it keeps, since nobody else could run it.
 *   <li>A RUNNING claim is on a thread, or was completed by its handler. One that is neither is abandoned: its thread broke
 *       off without an outcome. It is not renewed, and gets an outcome as soon as one can be made.
 *   <li>When a node is closed because a handler called {@code System.exit}, the job of that thread is charged a crash, and no
 *       other.
 *   <li>What is still held when the node's row is removed goes back in line in the same transaction, uncharged; but a job
 *       that was running and may run only once ends.
 *   <li>An outcome takes along what its handler said last about its progress and nobody has written. What a report of the node
 *       wrote is not written again; what such a report left out, because the row was locked, is.
 *   <li>A handler that called {@code completeIn} has its outcome in its own transaction: no other outcome
 *       is queued before that transaction is known to be over.
 *   <li>An attempt that failed because the database was away does not count ({@link dev.muster.worker.DatabaseOutages}): it is put
 *       back in line. Not a job that may run only once, and not the same job for ever.
 *   <li>A failed attempt or a dead letter is told to the {@link dev.muster.job.JobListener} after the database has accepted
 *       it, once, by the pump that wrote it; an outcome that was rejected is not told. An attempt that completes pays nothing
 *       for it.
 * </ul>
 */
@NullMarked
package dev.muster.worker;

import org.jspecify.annotations.NullMarked;
