package dev.muster.job;

import java.time.Instant;
import java.util.Optional;

/**
 * A queue and how many live jobs of which status it holds.
 *
 * @param pausedAt since when; absent: it runs
 * @param oldestDue since when its longest waiting due job could run
 */
public record QueueInfo(
        String name,
        Optional<Instant> pausedAt,
        long waiting,
        long pending,
        long claimed,
        long running,
        Optional<Instant> oldestDue) {}
