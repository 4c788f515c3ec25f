package dev.muster.internal.job.store;

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

    /** Frees or cancels the jobs that wait for these ended jobs, and the jobs that wait for cancelled ones, and so on. */
    Set<Lane> resolveDependents(Collection<JobId> ended);

    /**
     * Like {@link #resolveDependents}, but resolves only some dependents, in one short transaction: hundreds of thousands of jobs
     * may wait for one.
     *
     * @param rest receives the jobs for which this has to be called again
     */
    Set<Lane> resolveSomeDependents(Collection<JobId> ended, Collection<JobId> rest);

    /**
     * Searches waiting jobs, a bounded number per call, for those that should have been freed and were missed because of a late
     * commit.
     *
     * @return the lanes of the freed jobs
     */
    Set<Lane> sweepWaiting(Connection tx) throws SQLException;
}
