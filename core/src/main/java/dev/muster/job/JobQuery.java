package dev.muster.job;

import dev.muster.runtime.MusterException;
import java.util.Optional;
import java.util.Set;

/**
 * Which jobs to list; the newest first.
 *
 * @param statuses empty: all
 * @param limit 1 to 10,000
 */
public record JobQuery(Set<JobStatus> statuses, Optional<String> name, Optional<String> queue, int limit) {

    public JobQuery {
        statuses = Set.copyOf(statuses);
        if (limit < 1 || limit > 10_000) {
            throw new MusterException("limit must be 1 to 10000, not " + limit);
        }
    }

    public static JobQuery all() {
        return new JobQuery(Set.of(), Optional.empty(), Optional.empty(), 100);
    }

    public JobQuery status(JobStatus... wanted) {
        return new JobQuery(Set.of(wanted), name, queue, limit);
    }

    public JobQuery name(String wanted) {
        return new JobQuery(statuses, Optional.of(wanted), queue, limit);
    }

    public JobQuery queue(String wanted) {
        return new JobQuery(statuses, name, Optional.of(wanted), limit);
    }

    public JobQuery limit(int wanted) {
        return new JobQuery(statuses, name, queue, wanted);
    }
}
