package dev.muster.batch;

import dev.muster.job.BatchId;
import dev.muster.job.JobId;
import java.time.Instant;
import java.util.Optional;

/**
 * A batch as stored in the database.
 *
 * @param condition {@code all}, {@code any}, {@code success_rate} or {@code decided}
 * @param successRate the share that has to complete, if that is the condition
 * @param cancelRequested whether it was cancelled
 * @param counts what became of its jobs: of a closed batch, when it closed; of another one, now, and not in lists, because jobs have to
 *     be counted for it
 * @param completionJob the job that is enqueued when it closes
 * @param decidingJob the job that decides about it
 */
public record BatchInfo(
        BatchId id,
        String name,
        BatchStatus status,
        String condition,
        Optional<Double> successRate,
        boolean cancelRequested,
        Optional<BatchCounts> counts,
        Optional<JobId> completionJob,
        Optional<JobId> decidingJob,
        Instant createdAt,
        Optional<Instant> sealedAt,
        Optional<Instant> closedAt) {}
