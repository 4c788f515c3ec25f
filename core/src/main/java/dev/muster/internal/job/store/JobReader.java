package dev.muster.internal.job.store;

import dev.muster.job.JobAttempt;
import dev.muster.job.JobCount;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobPage;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.job.LogLine;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads jobs, their attempts and their log lines. Methods throw {@link dev.muster.runtime.DatabaseUnavailable} when the database does not answer.
 */
public interface JobReader {

    /** The job as people may see it: {@code database.read_url} may name a server that is a little behind. */
    Optional<JobInfo> find(JobId id);

    /** The job as it is now, with everything that was committed before the call. */
    Optional<JobInfo> current(JobId id);

    /** The status of the job as it is now, for whoever asks again and again. */
    Optional<JobStatus> currentStatus(JobId id);

    /** The jobs that match the query, up to its limit; fails if they cannot be found within 10 seconds. */
    List<JobInfo> list(JobQuery query);

    /**
     * The jobs that match the query and were found within this time. The page ends early, after at least one job, if they have more text
     * than {@link PageText} lets on a page.
     */
    JobPage search(JobQuery query, Duration patience);

    /** How many jobs of each status match the query, whatever statuses it names, as far as a bounded number of rows shows. */
    Map<JobStatus, JobCount> counts(JobQuery query);

    /** Those of these jobs whose metadata names the tenant, as they are now. */
    Set<JobId> jobsOf(String tenant, Collection<JobId> ids);

    /** The log lines of a job after a given line, oldest first. */
    List<LogLine> logs(JobId id, long afterLine, int limit);

    /** The last attempts of a job that have ended, oldest first. */
    List<JobAttempt> attempts(JobId id, int limit);
}
