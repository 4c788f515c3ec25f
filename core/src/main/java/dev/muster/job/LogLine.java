package dev.muster.job;

import java.time.Instant;

/**
 * A line a handler logged.
 *
 * @param line grows within a job; the place to go on reading from
 * @param level info, warn or error
 */
public record LogLine(long line, Instant at, int attempt, String level, String message) {}
