package dev.muster.job;

import java.util.Optional;

/**
 * A job that failed for good. It stays in history with status {@code failed}; {@link Jobs#retry} runs it again.
 *
 * @param attempt the number of the last attempt, the first being 1
 * @param crashes how many nodes died while running it
 * @param node the node that ran it last
 * @param error the error stored with the job: type, message and stack trace, or why it may not be tried again
 * @param failure what the handler threw, or a timeout; empty if there is no exception, for example because its node died
 */
public record DeadLetter(
        JobId id,
        String name,
        String queue,
        int attempt,
        int maxAttempts,
        int crashes,
        String node,
        String error,
        Optional<Throwable> failure) {}
