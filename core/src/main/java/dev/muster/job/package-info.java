/**
 * Jobs: what users write ({@link dev.muster.job.Job}, {@link dev.muster.job.JobType}, {@link dev.muster.job.JobRequest}), and what they call ({@link
 * dev.muster.job.Jobs}, {@link dev.muster.job.Queues}).
 *
 * <pre>
 *                enqueue
 *                   │
 *  waiting ──────▶ pending ◀───────────────┐ retry after a failure
 *  (dependsOn)        │                    │ release: drain, lost database (counts as no attempt)
 *               claim │                    │ recovery of a dead claim (a crash if its start was recorded)
 *                     ▼                    │
 *                  claimed ── start ──▶ running
 *                     │                    │
 *                     └─────────┬──────────┘
 *                               ▼
 *               completed │ failed │ cancelled │ expired      (moved to history)
 *                              │         │         │
 *                              └─────────┴─────────┴──▶ waiting or pending, if retried
 * </pre>
 *
 * <p>A job has one accepted outcome. A worker that has lost its claim cannot complete, fail, renew or release the job.
 */
@NullMarked
package dev.muster.job;

import org.jspecify.annotations.NullMarked;
