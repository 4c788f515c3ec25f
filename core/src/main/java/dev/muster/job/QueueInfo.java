package dev.muster.job;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * A queue, with the number of its live jobs by status. A run of a workflow counts while it is due or a node executes it, not while it sleeps or
 * waits.
 *
 * @param pausedAt when it was paused; absent if it is not
 * @param pending how many jobs are pending, including those due later, and how many runs are due
 * @param oldestDue when the job that has been due for longest became due
 * @param limit its limit; {@link QueueLimit#NONE} if it has none
 * @param atLeast the statuses whose counts are lower bounds: counting stops at 10,000 pending or waiting jobs, or earlier if
 *     there are many queues, so that the answer is fast; empty if all counts are exact
 */
public record QueueInfo(
        String name,
        Optional<Instant> pausedAt,
        long waiting,
        long pending,
        long claimed,
        long running,
        Optional<Instant> oldestDue,
        QueueLimit limit,
        Set<JobStatus> atLeast) {

    public QueueInfo {
        atLeast = Set.copyOf(atLeast);
    }

    /** A queue without jobs that is not paused. */
    public static QueueInfo empty(String name) {
        return new QueueInfo(name, Optional.empty(), 0, 0, 0, 0, Optional.empty(), QueueLimit.NONE, Set.of());
    }
}
