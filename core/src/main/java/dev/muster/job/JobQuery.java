package dev.muster.job;

import dev.muster.runtime.MusterException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which jobs to list, cancel or retry; the newest first.
 *
 * @param statuses empty: all
 * @param tags jobs that have all of these
 * @param metadata jobs that have all of these values
 * @param before jobs older than this one: the last of the page before
 * @param limit 1 to 10,000; for a page, not for bulk operations
 */
public record JobQuery(
        Set<JobStatus> statuses,
        Optional<String> name,
        Optional<String> queue,
        Set<String> tags,
        Map<String, String> metadata,
        Optional<JobId> before,
        int limit) {

    public JobQuery {
        statuses = Set.copyOf(statuses);
        tags = Set.copyOf(tags);
        metadata = Map.copyOf(metadata);
        if (limit < 1 || limit > 10_000) {
            throw new MusterException("limit must be 1 to 10000, not " + limit);
        }
    }

    public static JobQuery all() {
        return new JobQuery(Set.of(), Optional.empty(), Optional.empty(), Set.of(), Map.of(), Optional.empty(), 100);
    }

    public JobQuery status(JobStatus... wanted) {
        return new JobQuery(Set.of(wanted), name, queue, tags, metadata, before, limit);
    }

    public JobQuery name(String wanted) {
        return new JobQuery(statuses, Optional.of(wanted), queue, tags, metadata, before, limit);
    }

    public JobQuery queue(String wanted) {
        return new JobQuery(statuses, name, Optional.of(wanted), tags, metadata, before, limit);
    }

    public JobQuery tags(String... wanted) {
        return new JobQuery(statuses, name, queue, Set.of(wanted), metadata, before, limit);
    }

    public JobQuery metadata(String key, String value) {
        return new JobQuery(statuses, name, queue, tags, Map.of(key, value), before, limit);
    }

    public JobQuery before(JobId last) {
        return new JobQuery(statuses, name, queue, tags, metadata, Optional.of(last), limit);
    }

    public JobQuery limit(int wanted) {
        return new JobQuery(statuses, name, queue, tags, metadata, before, wanted);
    }
}
