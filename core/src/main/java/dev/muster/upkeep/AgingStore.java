package dev.muster.upkeep;

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
 * joins the end of the line of its new rank, and the time that it has waited counts from there.
 */
public interface AgingStore {

    /**
     * Finds the places with a job that has been due and unclaimed for this long, except those of critical jobs and of paused queues. It
     * searches from the beginning, which may take long while a transaction stays open somewhere. Opens its own transaction.
     */
    List<Place> findWaiting(Duration ageAfter);

    /**
     * Lifts the oldest jobs of these places that have been due and unclaimed for this long, in places whose queue is not paused. Jobs that
     * another transaction has locked are left out.
     *
     * @param places all of the same rank
     * @param most how many jobs to lift at most; the places share this number equally
     */
    Lifted lift(Connection tx, List<Place> places, Duration ageAfter, int most) throws SQLException;

    /**
     * A lane and a rank.
     *
     * @param rank a priority's level, or one more for jobs that were handed back and go first in their priority
     * @param fromMicros where the search for jobs to lift starts, by the time since which they have waited in this place
     */
    record Place(Lane lane, int rank, long fromMicros) {}

    /**
     * What was lifted.
     *
     * @param lanes the lanes in which jobs were lifted
     * @param next all the places that were given, with where to start the next time
     */
    record Lifted(int jobs, Set<Lane> lanes, List<Place> next) {}
}
