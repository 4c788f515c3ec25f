package dev.muster.job;

import java.time.Duration;
import java.util.Optional;

/**
 * An attempt that failed, of a job that is tried again.
 *
 * @param attempt the number of the attempt, the first being 1
 * @param error what is kept with the job: type, message and stack
 * @param failure what the handler threw, or a timeout; empty where there is no exception
 * @param retryIn how long until the next attempt is due, from when the failure was accepted
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
