/**
 * Jobs: what users write ({@link dev.muster.job.Job}, {@link dev.muster.job.JobType}, {@link
 * dev.muster.job.JobRequest}), what they call ({@link dev.muster.job.Jobs}), and the port to the
 * store ({@link dev.muster.job.store.JobStore}).
 *
 * <h2>The life of a job</h2>
 *
 * <pre>
 *                enqueue
 *                   │
 *  waiting ──────▶ pending ◀───────────────┐ retry after a failure (attempt kept)
 *  (dependsOn)      │  ▲  ▲                │ release: drain, lost database (counts as nothing)
 *             claim │  │  └────────────────┤ recovery of a dead claim (a crash if its start was written)
 *                   ▼  │                   │
 *                claimed ── start ──▶ running
 *                   │                      │
 *                   └──────────┬───────────┘
 *                              ▼
 *              completed │ failed │ cancelled │ expired      (moved to history)
 *                             │         │         │
 *                             └─────────┴─────────┴──▶ waiting or pending, when somebody retries it
 * </pre>
 *
 * <h2>Invariants</h2>
 *
 * <ul>
 *   <li>A claim gives the job a token that no earlier claim had. Every later write names (id, token)
 *       and changes nothing unless both are current: a worker that lost its claim cannot complete,
 *       fail, renew or release the job.
 *   <li>A job has one accepted outcome. The write that accepts it removes the live row and adds the
 *       history row, with its token, in one statement. An outcome sent twice is recognised by (id,
 *       token) in history.
 *   <li>{@code attempt} is the number of the attempt a claim is for. Release and recovery take it
 *       back; only a failure of the handler keeps it.
 *   <li>{@code crashes} counts claims that died after their start had been written. A job whose claim
 *       died is a suspect if it may have started unseen, or has crashed before: it starts only after
 *       its {@code running} is committed. Suspects with crashes run one at a time per node, so the job
 *       that kills its nodes is told apart from its neighbours, which are charged once at most.
 *   <li>A job that was written as running while it ran had done no harm for a while. When its node
 *       dies it is charged, but is no suspect the first time: what ran on a dead node runs elsewhere
 *       at once, all of it.
 *   <li>A job whose {@code maxCrashes} is 0 (always so with {@code maxAttempts = 1}, unless set) also
 *       commits {@code running} first: its handler is entered at most once.
 *   <li>{@code ready_at} is when the job became claimable, by the database's clock; it never lies in
 *       the past when written. A job that is handed back gets a rank just above its priority, so it
 *       goes first and is still found by claimers that only look forward.
 *   <li>A job keeps what it depends on for as long as it is kept. A waiting job becomes pending when each job of {@code
 *       dependsOn} has completed and each of {@code dependsOnAnyOutcome} has ended; it is cancelled when one of {@code
 *       dependsOn} ends otherwise. One that was freed stays free.
 *   <li>A job that ended before a node had taken it and is retried waits again for those it depends on that are live. The
 *       retry is refused if one of {@code dependsOn} has ended otherwise than completed, or nothing is left of it: nothing
 *       would ever free the job.
 *   <li>Only a waiting or pending job, which no node holds, gets another due time or priority. Its {@code ready_at} is then
 *       stamped anew, so that it does not appear behind claimers.
 *   <li>How long a failed job waits is said by its exception ({@link dev.muster.job.RetryLater}), else by the policy's rule
 *       ({@link dev.muster.job.RetryDelay}), else by its backoff. All of these count an attempt; {@link
 *       dev.muster.job.Snooze} does not.
 * </ul>
 */
@NullMarked
package dev.muster.job;

import org.jspecify.annotations.NullMarked;
