package dev.muster.cli.internal.jobs;

import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.job.Enqueued;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.runtime.DatabaseUnavailable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Enqueues and reads many jobs in chunks, so that no statement becomes too large. */
final class JobChunks {
    private static final int SIZE = 1_000;

    private final Jobs jobs;

    JobChunks(Jobs jobs) {
        this.jobs = jobs;
    }

    List<Enqueued> submit(List<JobRequest> requests) {
        List<Enqueued> enqueued = new ArrayList<>();
        for (List<JobRequest> some : split(requests)) {
            try {
                enqueued.addAll(jobs.submitAll(some));
            } catch (DatabaseUnavailable e) {
                throw enqueued.isEmpty()
                        ? e
                        : new DatabaseUnavailable(
                                enqueued.size() + " of " + requests.size() + " jobs were enqueued; then "
                                        + e.getMessage(),
                                e);
            }
        }
        return enqueued;
    }

    /** The jobs in the order of their ids. */
    List<JobInfo> find(List<JobId> ids) {
        return split(ids).stream().flatMap(some -> read(some).stream()).toList();
    }

    private List<JobInfo> read(List<JobId> ids) {
        Map<JobId, JobInfo> found = new HashMap<>();
        jobs.list(JobQuery.all().ids(ids).limit(ids.size())).forEach(job -> found.put(job.id(), job));
        return ids.stream()
                .map(id -> Optional.ofNullable(found.get(id))
                        .orElseThrow(() -> CommandFailed.failed("job " + id + " was enqueued and is gone already")))
                .toList();
    }

    static <T> List<List<T>> split(List<T> all) {
        List<List<T>> parts = new ArrayList<>();
        for (int from = 0; from < all.size(); from += SIZE) {
            parts.add(all.subList(from, Math.min(from + SIZE, all.size())));
        }
        return parts;
    }
}
