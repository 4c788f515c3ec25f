package dev.muster.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A job as it stands in the database.
 *
 * @param attempt the number of the current or last attempt; 0 before the first
 * @param crashes how many nodes died running it
 * @param node where it runs or last ran
 * @param args JSON; if encrypted with a key that this process lacks, the envelope
 * @param result JSON, once completed; if encrypted with a key that this process lacks, the envelope
 * @param error the last failure; absent if the job completed
 * @param earlierError the failure of an attempt before the one that completed it; absent if there was none, or it has not
 *     completed
 * @param metadata what its request said beside the args; empty if nothing
 * @param runAt when it was or is due
 * @param waitingReason why it is not running, in words; only for a single job that was looked up
 * @param startedAt when its current or last attempt was seen running; absent for an attempt that ended before its start was written
 * @param expiresAt when it ends as expired if no node has taken it by then
 * @param timeout how long one attempt may run; absent: as long as its handler or the node's settings say
 * @param dependencies what it depends on, a hundred of them at most; only for a single job that was looked up
 */
public record JobInfo(
        JobId id,
        String name,
        JobStatus status,
        String queue,
        Optional<String> capability,
        Priority priority,
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
        List<Dependency> dependencies) {

    /** This job with its payloads replaced. */
    public JobInfo withPayloads(String args, Optional<String> result) {
        return new JobInfo(
                id,
                name,
                status,
                queue,
                capability,
                priority,
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
                dependencies);
    }

    /**
     * A job that this one depends on.
     *
     * @param status as it is now; absent if nothing is left of it
     * @param anyOutcome whether this one waits for its end only, however it ends
     */
    public record Dependency(JobId id, Optional<JobStatus> status, boolean anyOutcome) {}

    /** How far a job is, as its handler last said. */
    public record Progress(int percent, Optional<String> message) {}
}
