package dev.muster.cli.jobs;

import dev.muster.cli.console.CommandFailed;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.runtime.DatabaseUnavailable;
import java.util.ArrayList;
import java.util.List;

/** Enqueues and reads many jobs in portions that no statement chokes on. */
final class Batches {
    private static final int SIZE = 1_000;

    private final Jobs jobs;

    Batches(Jobs jobs) {
        this.jobs = jobs;
    }

    List<JobId> enqueue(List<JobRequest> requests) {
        List<JobId> ids = new ArrayList<>();
        for (int from = 0; from < requests.size(); from += SIZE) {
            try {
                ids.addAll(jobs.enqueueAll(requests.subList(from, Math.min(from + SIZE, requests.size()))));
            } catch (DatabaseUnavailable e) {
                throw from == 0
                        ? e
                        : new DatabaseUnavailable(
                                from + " of " + requests.size() + " jobs were enqueued; then " + e.getMessage(), e);
            }
        }
        return ids;
    }

    /** The jobs in the order of their ids. */
    List<JobInfo> find(List<JobId> ids) {
        return ids.stream()
                .map(id -> jobs.find(id)
                        .orElseThrow(() -> CommandFailed.failed("job " + id + " was enqueued and is gone already")))
                .toList();
    }
}
