/**
 * How jobs live: what users write ({@link dev.muster.job.Job}, {@link dev.muster.job.JobType}, {@link dev.muster.job.JobRequest}), what
 * they call ({@link dev.muster.job.Jobs}), and the ports to the store ({@link dev.muster.internal.job.store}).
 *
 * <h2>State model</h2>
 *
 * <pre>
 *                enqueue
 *                   │
 *  waiting ──────▶ pending ◀───────────────┐ retry after a failure (attempt kept)
 *  (dependsOn)      │  ▲  ▲                │ release: drain, lost database (counts as no attempt)
 *             claim │  │  └────────────────┤ recovery of a dead claim (a crash if its start was recorded)
 *                   ▼  │                   │
 *                claimed ── start ──▶ running
 *                   │                      │
 *                   └──────────┬───────────┘
 *                              ▼
 *              completed │ failed │ cancelled │ expired      (moved to history)
 *                             │         │         │
 *                             └─────────┴─────────┴──▶ waiting or pending, if retried
 * </pre>
 *
 * <h2>Claims and outcomes</h2>
 *
 * <ul>
 *   <li>A claim gives the job a token that no earlier claim had. Every later write names (id, token) and changes nothing unless
 *       both are current: a worker that lost its claim cannot complete, fail, renew or release the job.
 *   <li>A job has one accepted outcome. The statement that accepts it removes the live row and adds the history row, with its
 *       token. An outcome that is sent twice is recognised by (id, token) in history.
 *   <li>{@code attempt} is the number of the attempt that a claim is for. Release and recovery set it back; only a failure of the
 *       handler keeps it.
 * </ul>
 *
 * <h2>Who asks</h2>
 *
 * <ul>
 *   <li>A request that comes over HTTP says who asks ({@link dev.muster.job.Requester}), and is refused with {@link
 *       dev.muster.job.JobNotAllowed} if they may not. A request that says nothing is the application's own.
 *   <li>A caller of a tenant may start jobs whose handlers say that they are open to tenants, with options within the handler's. All live
 *       nodes that have the handler must open it; the node that runs the job asks its own handler once more.
 *   <li>Metadata whose name begins with {@code muster.} is written by Muster alone, so handlers can believe it.
 * </ul>
 *
 * <h2>Crashes and suspects</h2>
 *
 * <ul>
 *   <li>{@code crashes} counts claims whose node died after their start had been recorded.
 *   <li>A job whose claim died is a suspect if it may have started unseen, or has crashed before. A suspect starts only after
 *       its {@code running} is committed. Suspects with crashes run one at a time per node, so that the job that kills its
 *       nodes can be told from its neighbours, which are charged at most once.
 *   <li>If a job was marked as running while it ran, it had done no harm for a while. When its node dies, it is charged a crash
 *       but is no suspect the first time: so all jobs of a dead node run elsewhere at once.
 *   <li>A job whose {@code maxCrashes} is 0 (the default with {@code maxAttempts = 1}) also commits {@code running} first: its
 *       handler is entered at most once.
 * </ul>
 *
 * <h2>When a job becomes claimable</h2>
 *
 * <ul>
 *   <li>{@code ready_at} is when the job became claimable, by the database's clock; it is never in the past when written. A job
 *       that is released gets a rank just above its priority, so that it is claimed first and claimers that only look forward
 *       still find it.
 *   <li>Only a waiting or pending job, which no node has claimed, can get another due time or priority. Its {@code ready_at} is
 *       then renewed, so that it does not appear behind claimers.
 *   <li>With {@code worker.age_after}, a pending job that no node claims gets a higher rank for each such period, and a new {@code ready_at}
 *       with it. Its priority stays. A release or recovery keeps what it was lifted to; a retry, a snooze, another due time or another
 *       priority does not.
 *   <li>The wait after a failure is set by the exception ({@link dev.muster.job.RetryLater}), or else by the handler's {@link
 *       dev.muster.job.RetryPolicy}. The usual one, {@link dev.muster.job.BackoffPolicy}, asks its rule ({@link
 *       dev.muster.job.RetryDelay}) and then takes the backoff; {@link dev.muster.internal.job.JobRetries} combines the policy with the limits
 *       of the job itself. All of these count an attempt; {@link
 *       dev.muster.job.Snooze} does not.
 * </ul>
 *
 * <h2>Dependencies</h2>
 *
 * <ul>
 *   <li>A job's dependencies are kept for as long as the job itself. A waiting job becomes pending when each job of {@code
 *       dependsOn} has completed and each of {@code dependsOnAnyOutcome} has ended; it is cancelled when one of {@code dependsOn}
 *       ends otherwise. A job that was freed never waits again, unless it is retried.
 *   <li>A job that ended before a node had claimed it and is retried waits again for those of its dependencies that are live.
 *       The retry is refused if one of {@code dependsOn} has ended without completing, or is gone from history: nothing would
 *       ever free the job.
 * </ul>
 */
@NullMarked
package dev.muster.internal.job;

import org.jspecify.annotations.NullMarked;
