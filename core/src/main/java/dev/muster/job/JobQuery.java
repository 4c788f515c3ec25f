package dev.muster.job;

import dev.muster.runtime.MusterException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Selects the jobs to list, cancel or retry. Lists are sorted newest first. Jobs that drive runs of workflows are listed and counted only if the
 * query has their ids or their name, and are never cancelled or retried.
 *
 * @param ids if empty, jobs with any id
 * @param statuses if empty, jobs with any status
 * @param tags only jobs that have all of these tags
 * @param metadata only jobs that have all of these values
 * @param key only jobs with this idempotency key, of any name unless {@code name} is given: the key of the tenant that {@code metadata} names, or
 *     that of a job without a tenant
 * @param before only jobs older than this one, which is the last one of the previous page
 * @param limit 1 to 10,000; applies to a page, not to bulk operations
 */
public record JobQuery(
        Set<JobId> ids,
        Set<JobStatus> statuses,
        Optional<String> name,
        Optional<String> queue,
        Set<String> tags,
        Map<String, String> metadata,
        Optional<String> key,
        Optional<BatchId> batch,
        Optional<JobId> before,
        int limit) {

    public JobQuery {
        ids = Set.copyOf(ids);
        statuses = Set.copyOf(statuses);
        tags = Set.copyOf(tags);
        metadata = Map.copyOf(metadata);
        if (limit < 1 || limit > 10_000) {
            throw new MusterException("limit must be 1 to 10000, not " + limit);
        }
    }

    public static JobQuery all() {
        return new JobQuery(
                Set.of(),
                Set.of(),
                Optional.empty(),
                Optional.empty(),
                Set.of(),
                Map.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                100);
    }

    /**
     * Only these jobs.
     *
     * @throws MusterException if the collection is empty, because a query without ids selects every job
     */
    public JobQuery ids(Collection<JobId> wanted) {
        if (wanted.isEmpty()) {
            throw new MusterException("ids of a query must not be empty: without ids it means every job");
        }
        return new JobQuery(Set.copyOf(wanted), statuses, name, queue, tags, metadata, key, batch, before, limit);
    }

    public JobQuery status(JobStatus... wanted) {
        return new JobQuery(ids, Set.of(wanted), name, queue, tags, metadata, key, batch, before, limit);
    }

    public JobQuery name(String wanted) {
        return new JobQuery(ids, statuses, Optional.of(wanted), queue, tags, metadata, key, batch, before, limit);
    }

    public JobQuery queue(String wanted) {
        return new JobQuery(ids, statuses, name, Optional.of(wanted), tags, metadata, key, batch, before, limit);
    }

    public JobQuery tags(String... wanted) {
        return new JobQuery(ids, statuses, name, queue, Set.of(wanted), metadata, key, batch, before, limit);
    }

    /** Adds a value that jobs must have. */
    public JobQuery metadata(String name, String value) {
        Map<String, String> wanted = new LinkedHashMap<>(metadata);
        wanted.put(name, value);
        return new JobQuery(ids, statuses, this.name, queue, tags, wanted, key, batch, before, limit);
    }

    /** Only jobs with this idempotency key. */
    public JobQuery key(String wanted) {
        return new JobQuery(ids, statuses, name, queue, tags, metadata, Optional.of(wanted), batch, before, limit);
    }

    /** Only jobs of this batch. */
    public JobQuery batch(BatchId wanted) {
        return new JobQuery(ids, statuses, name, queue, tags, metadata, key, Optional.of(wanted), before, limit);
    }

    public JobQuery before(JobId last) {
        return new JobQuery(ids, statuses, name, queue, tags, metadata, key, batch, Optional.of(last), limit);
    }

    public JobQuery limit(int wanted) {
        return new JobQuery(ids, statuses, name, queue, tags, metadata, key, batch, before, wanted);
    }
}
