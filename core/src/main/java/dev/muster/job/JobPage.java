package dev.muster.job;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a search found, the newest first, and where to go on.
 *
 * @param next pass it to {@link JobQuery#before} for the next page; empty: there are no older jobs
 * @param searchedBackTo present if time was up before the page was full: every job that was created since then was looked
 *     at, give or take the differences between the clocks of those who enqueue, and older ones were not
 */
public record JobPage(List<JobInfo> jobs, Optional<JobId> next, Optional<Instant> searchedBackTo) {

    public JobPage {
        jobs = List.copyOf(jobs);
    }

    /** All that there is, or a full page of it. */
    public static JobPage of(List<JobInfo> jobs, int limit) {
        boolean full = jobs.size() >= limit;
        return new JobPage(
                jobs, full ? Optional.of(jobs.get(jobs.size() - 1).id()) : Optional.empty(), Optional.empty());
    }
}
