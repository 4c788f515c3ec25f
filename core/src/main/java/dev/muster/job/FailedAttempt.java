package dev.muster.job;

import java.time.Duration;
import java.util.Optional;

/**
 * A failed attempt of a job that will be tried again.
 *
 * @param attempt the number of the attempt, the first being 1
 * @param error the error stored with the job: type, message and stack trace
 * @param failure what the handler threw, or a timeout; empty if there is no exception
 * @param retryIn the time from when the database accepted the failure until the next attempt is due
 */
public record FailedAttempt(
        JobId id,
        String name,
        String queue,
        int attempt,
        int maxAttempts,
        String error,
        Optional<Throwable> failure,
        Duration retryIn) {}
