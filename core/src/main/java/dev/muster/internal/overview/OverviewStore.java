package dev.muster.internal.overview;

import dev.muster.internal.overview.ClusterReading.BlockedRuns;
import dev.muster.internal.overview.ClusterReading.CronProblem;
import dev.muster.internal.overview.ClusterReading.DeadLetters;
import dev.muster.internal.overview.ClusterReading.DueJobs;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The port to what an overview shows beside what other ports read. Everything is read where people read. Methods with a limit throw {@link
 * dev.muster.runtime.ReadTookTooLong} if the database has not answered by then.
 */
public interface OverviewStore {

    /** The time by the clock of the server on which people read. */
    Instant readTime();

    /** Counts the jobs that failed for good within the last day and the last hour, as far as a bounded number of ended jobs shows. Runs are no jobs. */
    DeadLetters deadLetters(Duration limit);

    /**
     * Jobs that no node has claimed although they are due, by name and queue, those that have been due for longest first. Of each lane and
     * priority the first few are looked at: a job that no node can run stays among them.
     */
    List<DueJobs> oldestDue(Duration limit);

    /** Versions of workflows whose live runs are marked as blocked. */
    List<BlockedRuns> blockedRuns(Duration limit);

    /** Crons that tick and whose last tick enqueued no job, some of them if there are many. */
    List<CronProblem> cronProblems(Duration limit);
}
