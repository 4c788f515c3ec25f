package dev.muster.postgres.internal.jobs;

import dev.muster.job.JobId;
import dev.muster.job.Lane;
import java.util.Collection;
import java.util.Set;

/** What follows from the end of jobs, besides what becomes of jobs that waited for them. */
public interface EndedJobs {

    /**
     * Says what was found in the database, every few seconds while jobs end.
     *
     * @param some whether there is anything for which the end of a job could matter
     */
    void found(boolean some);

    /**
     * Does what follows from the end of these jobs; nothing, and without a statement, if there is nothing that could follow.
     *
     * @param rest receives the jobs of which more follows than fits into one short transaction; call it again with them
     */
    Set<Lane> ended(Collection<JobId> jobs, Collection<JobId> rest);
}
