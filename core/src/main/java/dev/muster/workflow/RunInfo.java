package dev.muster.workflow;

import dev.muster.job.JobId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A run of a workflow.
 *
 * @param reason why it is blocked or how it was resolved
 * @param input JSON
 * @param result JSON, once completed
 * @param awaiting the events it waits for
 * @param continuedAs the run that continues it
 * @param wakeAt when it goes on, or stops waiting
 * @param node the node that runs it at the moment
 */
public record RunInfo(
        JobId id,
        String workflow,
        String version,
        RunStatus status,
        Optional<String> reason,
        String input,
        Optional<String> result,
        Optional<String> error,
        Optional<String> key,
        Optional<JobId> parent,
        Optional<JobId> continuedAs,
        List<String> awaiting,
        Optional<Instant> wakeAt,
        boolean cancelRequested,
        Optional<String> node,
        Instant createdAt,
        Instant changedAt,
        Optional<Instant> finishedAt) {

    /** This run with another input and another result. */
    public RunInfo withPayloads(String newInput, Optional<String> newResult) {
        return new RunInfo(
                id,
                workflow,
                version,
                status,
                reason,
                newInput,
                newResult,
                error,
                key,
                parent,
                continuedAs,
                awaiting,
                wakeAt,
                cancelRequested,
                node,
                createdAt,
                changedAt,
                finishedAt);
    }
}
