package dev.muster.job;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * A queue and how many live jobs of which status it holds.
 *
 * @param pausedAt since when; absent: it runs
 * @param pending those due later included
 * @param oldestDue since when its longest waiting due job could run
 * @param atLeast of which statuses there are at least as many jobs as it says: counting ends at 10,000 pending or waiting
 *     jobs, or earlier where there are many queues, so that the answer comes as fast beside a million; empty: all counts
 *     are exact
 */
public record QueueInfo(
        String name,
        Optional<Instant> pausedAt,
        long waiting,
        long pending,
        long claimed,
        long running,
        Optional<Instant> oldestDue,
        Set<JobStatus> atLeast) {

    public QueueInfo {
        atLeast = Set.copyOf(atLeast);
    }

    /** A queue that holds nothing and is not paused. */
    public static QueueInfo empty(String name) {
        return new QueueInfo(name, Optional.empty(), 0, 0, 0, 0, Optional.empty(), Set.of());
    }
}
