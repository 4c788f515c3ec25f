package dev.muster.job;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One page of a search, newest jobs first. It may have fewer jobs than asked for although there are more: {@code next} tells.
 *
 * @param next pass it to {@link JobQuery#before} for the next page; empty if there are no older jobs
 * @param searchedBackTo present if the time limit was reached before the page was full: jobs created since then were searched,
 *     older ones were not. Clock differences between the enqueuing processes make this inexact
 */
public record JobPage(List<JobInfo> jobs, Optional<JobId> next, Optional<Instant> searchedBackTo) {

    public JobPage {
        jobs = List.copyOf(jobs);
    }

    /** A page that contains all remaining jobs, or is full. */
    public static JobPage of(List<JobInfo> jobs, int limit) {
        boolean full = jobs.size() >= limit;
        return new JobPage(
                jobs, full ? Optional.of(jobs.get(jobs.size() - 1).id()) : Optional.empty(), Optional.empty());
    }
}
