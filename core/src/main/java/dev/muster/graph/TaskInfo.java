package dev.muster.graph;

import dev.muster.graph.TaskRequest.Dependency;
import dev.muster.job.JobId;
import dev.muster.job.Priority;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A task of a graph.
 *
 * @param id its id in the graph
 * @param name the name of its job
 * @param job the id of its job, which exists once the task is ready
 * @param inputs JSON, as they were submitted
 * @param attempt the attempt that runs or was the last; 0 if none has begun
 * @param node the node that runs it, or ran it last
 * @param result JSON, once completed
 * @param reason why it was skipped or cancelled
 */
public record TaskInfo(
        String id,
        String name,
        TaskStatus status,
        JobId job,
        Trigger trigger,
        List<Dependency> dependsOn,
        String queue,
        String capability,
        Priority priority,
        Optional<Integer> maxAttempts,
        Optional<Duration> timeout,
        String inputs,
        int attempt,
        Optional<String> node,
        Optional<String> result,
        Optional<String> error,
        Optional<String> reason,
        Optional<Instant> startedAt,
        Optional<Instant> finishedAt) {

    public TaskInfo {
        dependsOn = List.copyOf(dependsOn);
    }

    /** This task with other inputs and another result. */
    public TaskInfo withPayloads(String newInputs, Optional<String> newResult) {
        return new TaskInfo(
                id,
                name,
                status,
                job,
                trigger,
                dependsOn,
                queue,
                capability,
                priority,
                maxAttempts,
                timeout,
                newInputs,
                attempt,
                node,
                newResult,
                error,
                reason,
                startedAt,
                finishedAt);
    }
}
