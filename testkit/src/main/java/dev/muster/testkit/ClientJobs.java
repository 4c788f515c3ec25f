package dev.muster.testkit;

import dev.muster.Muster;
import dev.muster.job.Cancellation;
import dev.muster.job.Enqueuer;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobType;
import dev.muster.job.Jobs;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The jobs of a cluster's client, which is another one after a handler was registered. */
final class ClientJobs implements Jobs {
    private final Supplier<Muster> client;

    ClientJobs(Supplier<Muster> client) {
        this.client = client;
    }

    private Jobs jobs() {
        return client.get().jobs();
    }

    @Override
    public List<JobId> enqueueAll(Collection<JobRequest> requests) {
        return jobs().enqueueAll(requests);
    }

    @Override
    public Enqueuer in(Connection connection) {
        return jobs().in(connection);
    }

    @Override
    public Optional<JobInfo> find(JobId id) {
        return jobs().find(id);
    }

    @Override
    public JobInfo await(JobId id, Duration timeout) throws InterruptedException {
        return jobs().await(id, timeout);
    }

    @Override
    public <R> @Nullable R result(JobType<?, R> type, JobInfo job) {
        return jobs().result(type, job);
    }

    @Override
    public List<JobInfo> list(JobQuery query) {
        return jobs().list(query);
    }

    @Override
    public Cancellation cancel(JobId id) {
        return jobs().cancel(id);
    }

    @Override
    public boolean retry(JobId id) {
        return jobs().retry(id);
    }
}
