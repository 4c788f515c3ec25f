package dev.muster.workflow;

import java.time.Instant;
import java.util.Optional;

/**
 * A stored step of a run.
 *
 * @param path its place in the code: 0, 1, 2.0.1; compensations have the path of their step after {@code c.}
 * @param kind step, sleep, event, child, time or compensation
 * @param status completed, failed, retrying, waiting or timed_out
 * @param result JSON
 */
public record StepInfo(
        String path,
        String name,
        String kind,
        String status,
        int attempt,
        Optional<String> node,
        Optional<String> result,
        Optional<String> error,
        Optional<Instant> dueAt,
        Optional<String> compensation,
        Instant storedAt) {

    StepInfo withResult(Optional<String> newResult) {
        return new StepInfo(path, name, kind, status, attempt, node, newResult, error, dueAt, compensation, storedAt);
    }
}
