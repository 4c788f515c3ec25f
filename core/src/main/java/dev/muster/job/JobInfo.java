package dev.muster.job;

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
 * @param error the last failure
 * @param metadata what its request said beside the args; empty if nothing
 * @param runAt when it was or is due
 * @param waitingReason why it is not running, in words; only for a single job that was looked up
 * @param startedAt when its current or last attempt was seen running; absent for an attempt that ended before its start was written
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
        Optional<String> key,
        List<String> tags,
        Optional<Progress> progress,
        Map<String, String> metadata,
        Instant runAt,
        Instant createdAt,
        Optional<Instant> startedAt,
        Optional<Instant> finishedAt,
        Optional<String> waitingReason) {

    /** This job with its payloads replaced. */
    JobInfo withPayloads(String args, Optional<String> result) {
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
                key,
                tags,
                progress,
                metadata,
                runAt,
                createdAt,
                startedAt,
                finishedAt,
                waitingReason);
    }

    /** How far a job is, as its handler last said. */
    public record Progress(int percent, Optional<String> message) {}
}
