package dev.muster.job;

import java.time.Instant;

/**
 * A line that a handler logged.
 *
 * @param line a number that grows within a job; pass it to {@link Jobs#logs} to continue reading after this line
 * @param level info, warn or error
 */
public record LogLine(long line, Instant at, int attempt, String level, String message) {}
