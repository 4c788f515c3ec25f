package dev.muster.internal.job.engine;

import dev.muster.internal.job.store.JobStore;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.NewJobTraces;
import dev.muster.internal.job.store.NewJobTraces.Writing;
import dev.muster.job.Enqueued;
import dev.muster.job.JobId;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobRequest;
import dev.muster.job.Lane;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What becomes of requests before they are written, whoever commits them. */
final class NewJobs {
    private final JobStore store;
    private final RequestChecker checker;
    private final List<JobInterceptor> interceptors;
    private final NewJobTraces traces;

    NewJobs(JobStore store, RequestChecker checker, List<JobInterceptor> interceptors, NewJobTraces traces) {
        this.store = store;
        this.checker = checker;
        this.interceptors = List.copyOf(interceptors);
        this.traces = traces;
    }

    /** Writes jobs. */
    @FunctionalInterface
    interface Write<T> {
        List<T> jobs(List<NewJob> jobs);
    }

    List<JobId> enqueue(Connection connection, List<NewJob> jobs) throws SQLException {
        return store.enqueue(connection, jobs);
    }

    List<Enqueued> submit(Connection connection, List<NewJob> jobs) throws SQLException {
        return store.submit(connection, jobs);
    }

    /** @param connection has the transaction that the jobs will be written in; null for one of the store's own */
    List<NewJob> check(Collection<JobRequest> requests, @Nullable Connection connection) {
        return requests.stream()
                .map(request -> check(request, true, connection))
                .toList();
    }

    /**
     * A checked job, as the interceptors and its handler want it.
     *
     * @param complete whether the request has all its args
     * @throws dev.muster.job.JobNotAllowed if whoever asks over HTTP may not
     */
    NewJob check(JobRequest request, boolean complete, @Nullable Connection connection) {
        checker.requireAllowed(request, connection);
        return checker.check(intercepted(request), complete, connection);
    }

    private JobRequest intercepted(JobRequest request) {
        JobRequest changed = request;
        for (JobInterceptor interceptor : interceptors) {
            changed = interceptor.enqueue(changed);
        }
        return changed;
    }

    /** Writes jobs within the span that a tracer makes of it, if there is one. */
    <T> List<T> traced(List<NewJob> jobs, Write<T> write) {
        Writing span = traces.publish(jobs);
        if (span == null) {
            return write.jobs(jobs);
        }
        try {
            List<T> added = write.jobs(withTrace(jobs, span.trace()));
            span.end(null);
            return added;
        } catch (RuntimeException | Error e) {
            span.end(e);
            throw e;
        }
    }

    private static List<NewJob> withTrace(List<NewJob> jobs, @Nullable String trace) {
        return trace == null
                ? jobs
                : jobs.stream()
                        .map(job -> job.trace() == null ? job.withTrace(trace) : job)
                        .toList();
    }

    static Set<Lane> lanes(List<NewJob> jobs) {
        return jobs.stream().map(NewJob::lane).collect(Collectors.toSet());
    }
}
