package dev.muster.job;

import java.util.Optional;

/**
 * A job that failed and is not tried again. It stays in history with status {@code failed}; {@link Jobs#retry} puts it back
 * in line.
 *
 * @param attempt the number of the last attempt, the first being 1
 * @param crashes how many nodes died running it
 * @param node the node that ran it last
 * @param error what is kept with the job: type, message and stack, or why it may not be tried again
 * @param failure what the handler threw, or a timeout; empty where there is no exception, as when its node died
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
