package dev.muster.job.store;

import dev.muster.job.JobId;
import dev.muster.job.Lane;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Set;

/**
 * Frees or cancels jobs that wait for others. A child is resolved when it is enqueued, when a parent ends, and by a sweep: a
 * parent that ends before its child is committed cannot know of it.
 */
public interface DependencyStore {

    /** Frees or cancels the jobs that wait for these, which have ended, and so on down the line. */
    Set<Lane> resolveDependents(Collection<JobId> ended);

    /**
     * Same, in one short transaction: a job may have hundreds of thousands that wait for it.
     *
     * @param rest is given the jobs for which it has to be called again
     */
    Set<Lane> resolveSomeDependents(Collection<JobId> ended, Collection<JobId> rest);

    /**
     * Looks through waiting jobs for any that a late commit left behind, a bounded number per call.
     *
     * @return lanes with new work
     */
    Set<Lane> sweepWaiting(Connection tx) throws SQLException;
}
