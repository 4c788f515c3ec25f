package dev.muster.internal.maintenance;

import dev.muster.job.Lane;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * The port for {@link PriorityAging}: lifts jobs that waited long by one priority.
 *
 * <p>A job's {@linkplain dev.muster.job.JobInfo#priority() priority} stays; what changes is its rank, which decides when it is claimed. It
 * goes behind the others of its new rank, and the time that it has waited counts from there.
 */
public interface AgingStore {

    /**
     * Finds the lanes and ranks with a job that has been due and unclaimed for this long, except those of critical jobs and of paused queues. It
     * searches from the beginning, which may take long while a transaction stays open somewhere. Opens its own transaction.
     */
    List<RankedLane> findWaiting(Duration ageAfter);

    /**
     * Lifts the oldest jobs of these lanes that have been due and unclaimed for this long, in lanes whose queue is not paused. Jobs that
     * another transaction has locked are left out.
     *
     * @param ranked all of the same rank
     * @param most how many jobs to lift at most; the lanes share this number equally
     */
    Lifted lift(Connection tx, List<RankedLane> ranked, Duration ageAfter, int most) throws SQLException;

    /**
     * A lane and a rank.
     *
     * @param rank a priority's level, or one more for jobs that were handed back and go first in their priority
     * @param fromMicros where the search for jobs to lift starts, by the time since which they have waited in this lane with this rank
     */
    record RankedLane(Lane lane, int rank, long fromMicros) {}

    /**
     * What was lifted.
     *
     * @param lanes the lanes in which jobs were lifted
     * @param next all the lanes that were given, with where to start the next time
     */
    record Lifted(int jobs, Set<Lane> lanes, List<RankedLane> next) {}
}
