/**
 * The engine of a node that runs jobs.
 *
 * <pre>
 *   ClaimSession ──▶ Pump ──▶ LocalBuffer ──▶ SlotFeeder ──▶ JobSlot ──▶ JobRun ──▶ handler
 *        ▲             ▲                                                    │
 *        └── Outcome ──┴────────────────────── Completer ◀──────────────────┘
 *
 *   each NodeExecutor has its own
 *     ClaimSession, LocalBuffer
 *     JobSlots         room for its running jobs, and which jobs use it
 *     SlotFeeder       has jobs run in free slots: JobThreads, on own threads, or HandedOverJobs, on those of a JobExecutor
 *     Claimer          how many jobs to claim, and when
 *     ClaimCount       how many claims it holds
 *     JobThroughput    how fast its jobs are
 *
 *   the node has one
 *     ClaimTable, Completer, and two pumps
 *     ClaimingState    whether it may claim now
 *     SuspectTurn      which suspect runs now, one at a time
 *     ExchangeGate     whether both pumps may exchange at once
 *     AttemptRules     how JobRun calls a handler, and what its end means; the test kit uses them too
 *     LeaseRenewal     renews claims, marks long runs as running, learns of cancellations      (uses the database)
 *     LeaseAndTimeoutWatch   timeouts, leases about to end, jobs that wait too long in a buffer      (never does)
 * </pre>
 *
 * <h2>Executors</h2>
 *
 * The names of a node's jobs are divided among its executors when it starts ({@link dev.muster.internal.worker.ExecutorPlan}), and never again.
 * Each claims only jobs of its own names, as many as it has room for, so that slow jobs neither take the slots of others nor wait in
 * front of them. Each exchange of a pump writes outcomes of all executors and claims for one of them; executors that want jobs take
 * turns. A node without rules has one executor for all names.
 *
 * <h2>State model of a claim</h2>
 *
 * <pre>
 *   BUFFERED ──▶ RUNNING ──▶ ENDED      one outcome was queued, to be written under the claim's token
 *       │           │
 *       └───────────┴──────▶ LOST       another node has the job, or it has ended; nothing is written
 * </pre>
 *
 * Every transition is a compare-and-set in {@link dev.muster.internal.worker.OpenClaim}; the thread that makes the one to ENDED queues the
 * only outcome. The handler of an ended or lost claim may still be running if it ignores its interruption: it keeps its thread,
 * and its result is dropped. But a claim whose job takes up one of a limited number of places
 * ({@link dev.muster.internal.job.store.ClaimedJob#keepsPlace}) stays RUNNING, and its lease is renewed, until such a handler returns; then the
 * outcome of the stop is written. Only a node that leaves gives the place of such a job back earlier.
 *
 * <h2>Limits</h2>
 *
 * <ul>
 *   <li>A claim is open until the database has accepted or rejected its outcome, or until it is lost. An executor has room for as many
 *       claims as it has threads and prefetch, less its open claims. So if outcomes cannot be written, claiming stops.
 *   <li>A job is not started if its lease may have ended by the node's own monotonic clock, counted from before the claim was
 *       sent.
 *   <li>Memory is bounded in bytes. Args come with a claim while all such args take less than an eighth of the heap; larger args
 *       are read by the thread that runs the job, before the handler is entered. Threads start no job while results worth a
 *       thirty-second of the heap wait to be written.
 * </ul>
 *
 * <h2>Outcomes</h2>
 *
 * <ul>
 *   <li>An outcome that could not be written, because the database is away, stays queued; writing it twice is harmless.
 *   <li>A handler that called {@code completeIn} has its outcome in its own transaction: no other outcome is queued before that
 *       transaction is known to have ended.
 *   <li>An outcome includes the handler's last progress if no report has written it yet, for example because the row was locked.
 *   <li>A failed attempt or a dead letter is reported to the {@link dev.muster.job.JobListener} once, after the database has
 *       accepted it, by the pump that wrote it. A rejected outcome is not reported. Completed attempts cost nothing here.
 *   <li>An attempt that failed because the database was away does not count ({@link dev.muster.internal.worker.DatabaseOutages}): the job
 *       goes back to pending. This does not apply to a job that may run only once, and not forever to the same job.
 * </ul>
 *
 * <h2>Jobs that cannot finish here</h2>
 *
 * <ul>
 *   <li>A node whose pool gives no connection does not keep jobs from other nodes. After a few seconds it releases jobs that have not
 *       been started over the control connection, and outcomes are written over it when the pool has refused a connection.
 *   <li>A claim is renewed until its outcome is written: otherwise the sweep would take it from a node that lives, charge its job a
 *       crash and have it run again. After 20 leases without success the node gives the job back, without a charge. A job that may
 *       run only once is kept, because no other node could run it.
 *   <li>A RUNNING claim is on a thread, or its handler has called {@code completeIn}. If it is neither, it is abandoned: its
 *       thread broke off without an outcome. It is not renewed, and gets an outcome as soon as possible.
 *   <li>If a node is closed because a handler called {@code System.exit}, only the job of that thread is charged a crash.
 *   <li>Claims that are still held when the node's row is removed go back to pending in the same transaction, without a charge;
 *       but a job that was running and may run only once ends.
 * </ul>
 */
@NullMarked
package dev.muster.internal.worker;

import org.jspecify.annotations.NullMarked;
