package dev.muster.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A job as stored in the database.
 *
 * @param liftedTo the priority by which it is claimed now, if it was lifted because it waited for long; only while it is live
 * @param attempt the number of the current or last attempt; 0 before the first
 * @param crashes how many nodes died while running it
 * @param node the node on which it runs or last ran
 * @param args JSON; if encrypted with a key that this process lacks, the envelope
 * @param result JSON, once completed; if encrypted with a key that this process lacks, the envelope
 * @param error the last failure; absent if the job completed
 * @param earlierError the failure of an attempt before the one that completed the job; absent if there was none, or the job has
 *     not completed
 * @param metadata the metadata of its request
 * @param runAt when it was or is due
 * @param waitingReason why it is not running, in words; only if the job was read by itself
 * @param startedAt when its current or last attempt was seen running; absent if the attempt ended before its start was recorded
 * @param expiresAt when the job expires if no node has claimed it by then
 * @param timeout how long one attempt may run; if absent, the handler or the node's settings decide
 * @param dependencies the jobs it depends on, at most a hundred; only if the job was read by itself
 * @param batch the batch that it belongs to
 * @param trace the W3C traceparent that it carries; only if the job was read by itself
 */
public record JobInfo(
        JobId id,
        String name,
        JobStatus status,
        String queue,
        Optional<String> capability,
        Priority priority,
        Optional<Priority> liftedTo,
        int attempt,
        int maxAttempts,
        int crashes,
        Optional<String> node,
        String args,
        Optional<String> result,
        Optional<String> error,
        Optional<String> earlierError,
        Optional<String> key,
        List<String> tags,
        Optional<Progress> progress,
        Map<String, String> metadata,
        Instant runAt,
        Instant createdAt,
        Optional<Instant> startedAt,
        Optional<Instant> finishedAt,
        Optional<String> waitingReason,
        Optional<Instant> expiresAt,
        Optional<Duration> timeout,
        List<Dependency> dependencies,
        Optional<BatchId> batch,
        Optional<String> trace) {

    /** This job with its payloads replaced. */
    public JobInfo withPayloads(String args, Optional<String> result) {
        return new JobInfo(
                id,
                name,
                status,
                queue,
                capability,
                priority,
                liftedTo,
                attempt,
                maxAttempts,
                crashes,
                node,
                args,
                result,
                error,
                earlierError,
                key,
                tags,
                progress,
                metadata,
                runAt,
                createdAt,
                startedAt,
                finishedAt,
                waitingReason,
                expiresAt,
                timeout,
                dependencies,
                batch,
                trace);
    }

    /**
     * A job that this one depends on.
     *
     * @param status its current status; absent if it is gone from history
     * @param anyOutcome whether this job only waits for its end, with any outcome
     */
    public record Dependency(JobId id, Optional<JobStatus> status, boolean anyOutcome) {}

    /** The progress that a job's handler last reported. */
    public record Progress(int percent, Optional<String> message) {}
}
