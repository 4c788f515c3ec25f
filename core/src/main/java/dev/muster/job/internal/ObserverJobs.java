package dev.muster.job.internal;

import dev.muster.job.BulkCancellation;
import dev.muster.job.Cancellation;
import dev.muster.job.Enqueued;
import dev.muster.job.Enqueuer;
import dev.muster.job.JobAttempt;
import dev.muster.job.JobCount;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobPage;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.JobType;
import dev.muster.job.Jobs;
import dev.muster.job.LogLine;
import dev.muster.job.Priority;
import dev.muster.job.RetryableJobs;
import dev.muster.runtime.ObserverRefusal;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The jobs of an observer: reading works, changes are refused. */
public final class ObserverJobs implements Jobs {
    private final Jobs jobs;

    public ObserverJobs(Jobs jobs) {
        this.jobs = jobs;
    }

    @Override
    public List<JobId> enqueueAll(Collection<JobRequest> requests) {
        throw new ObserverRefusal("enqueue jobs");
    }

    @Override
    public List<Enqueued> submitAll(Collection<JobRequest> requests) {
        throw new ObserverRefusal("enqueue jobs");
    }

    @Override
    public Enqueuer in(Connection connection) {
        throw new ObserverRefusal("enqueue jobs");
    }

    @Override
    public Optional<JobInfo> find(JobId id) {
        return jobs.find(id);
    }

    @Override
    public JobInfo await(JobId id, Duration timeout) {
        return jobs.await(id, timeout);
    }

    @Override
    public <R> @Nullable R result(JobType<?, R> type, JobInfo job) {
        return jobs.result(type, job);
    }

    @Override
    public List<JobInfo> list(JobQuery query) {
        return jobs.list(query);
    }

    @Override
    public JobPage search(JobQuery query) {
        return jobs.search(query);
    }

    @Override
    public JobPage search(JobQuery query, Duration patience) {
        return jobs.search(query, patience);
    }

    @Override
    public Map<JobStatus, JobCount> counts(JobQuery query) {
        return jobs.counts(query);
    }

    @Override
    public Cancellation cancel(JobId id) {
        throw new ObserverRefusal("cancel jobs");
    }

    @Override
    public BulkCancellation cancelAll(JobQuery query) {
        throw new ObserverRefusal("cancel jobs");
    }

    @Override
    public int retryAll(JobQuery query) {
        throw new ObserverRefusal("retry jobs");
    }

    @Override
    public List<RetryableJobs> retryable(JobQuery query) {
        return jobs.retryable(query);
    }

    @Override
    public List<LogLine> logs(JobId id, long afterLine, int limit) {
        return jobs.logs(id, afterLine, limit);
    }

    @Override
    public List<JobAttempt> attempts(JobId id) {
        return jobs.attempts(id);
    }

    @Override
    public boolean retry(JobId id) {
        throw new ObserverRefusal("retry jobs");
    }

    @Override
    public int retryWithDependents(JobId id) {
        throw new ObserverRefusal("retry jobs");
    }

    @Override
    public boolean reschedule(JobId id, Instant at) {
        throw new ObserverRefusal("reschedule jobs");
    }

    @Override
    public boolean reschedule(JobId id, Duration delay) {
        throw new ObserverRefusal("reschedule jobs");
    }

    @Override
    public boolean reprioritise(JobId id, Priority priority) {
        throw new ObserverRefusal("change the priority of jobs");
    }
}
