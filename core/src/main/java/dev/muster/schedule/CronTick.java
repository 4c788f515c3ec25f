package dev.muster.schedule;

import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import java.time.Instant;
import java.util.Optional;

/**
 * A tick of a cron that was handled.
 *
 * @param at when it was due
 * @param job the job that it enqueued; empty if it was skipped, because the job of an earlier tick had not ended
 * @param status of that job; empty if it is not kept any more
 * @param finishedAt when that job ended
 */
public record CronTick(Instant at, Optional<JobId> job, Optional<JobStatus> status, Optional<Instant> finishedAt) {}
