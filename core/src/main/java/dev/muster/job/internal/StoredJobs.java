package dev.muster.job.internal;

import dev.muster.job.BulkCancellation;
import dev.muster.job.Cancellation;
import dev.muster.job.DueTime;
import dev.muster.job.Enqueued;
import dev.muster.job.Enqueuer;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobAttempt;
import dev.muster.job.JobCount;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobPage;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRegistry;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.JobType;
import dev.muster.job.Jobs;
import dev.muster.job.Lane;
import dev.muster.job.LogLine;
import dev.muster.job.Priority;
import dev.muster.job.RetryableJobs;
import dev.muster.job.TransactionScope;
import dev.muster.job.payload.PayloadCipher;
import dev.muster.job.payload.Payloads;
import dev.muster.job.store.DependencyStore;
import dev.muster.job.store.DriverJobs;
import dev.muster.job.store.HandlerDirectory;
import dev.muster.job.store.JobReader;
import dev.muster.job.store.JobStore;
import dev.muster.job.store.NewJob;
import dev.muster.job.store.NewJobTraces;
import dev.muster.job.store.NewJobTraces.Writing;
import dev.muster.job.store.WorkSignal;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.PollingWait;
import dev.muster.runtime.ResultJson;
import dev.muster.runtime.SqlErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@link Jobs} over the ports of a store. */
public final class StoredJobs implements Jobs {
    private static final int MAX_ATTEMPTS = 100;
    private static final Duration SEARCH_PATIENCE = Duration.ofSeconds(1);

    private final JobStore store;
    private final JobReader reader;
    private final DependencyStore dependencies;
    private final JsonCodec json;
    private final Payloads payloads;
    private final RequestChecker checker;
    private final List<JobInterceptor> interceptors;
    private final TransactionScope scope;
    private final WorkSignal signal;
    private final NewJobTraces traces;
    private final Clock clock;

    /** For jobs without encryption and without traces. */
    public StoredJobs(
            JobStore store,
            JobReader reader,
            DependencyStore dependencies,
            JsonCodec json,
            JobRegistry registry,
            HandlerDirectory directory,
            List<JobInterceptor> interceptors,
            TransactionScope scope,
            WorkSignal signal,
            Clock clock) {
        this(
                store,
                reader,
                dependencies,
                json,
                new Payloads(PayloadCipher.none()),
                registry,
                directory,
                TenantOptions.strict(),
                interceptors,
                scope,
                signal,
                NewJobTraces.NONE,
                clock,
                true);
    }

    public StoredJobs(
            JobStore store,
            JobReader reader,
            DependencyStore dependencies,
            JsonCodec json,
            Payloads payloads,
            JobRegistry registry,
            HandlerDirectory directory,
            TenantOptions tenantOptions,
            List<JobInterceptor> interceptors,
            TransactionScope scope,
            WorkSignal signal,
            NewJobTraces traces,
            Clock clock,
            boolean fairToTenants) {
        this.store = store;
        this.reader = reader;
        this.dependencies = dependencies;
        this.json = json;
        this.payloads = payloads;
        this.checker = new RequestChecker(json, payloads, registry, directory, tenantOptions, clock, fairToTenants);
        this.interceptors = List.copyOf(interceptors);
        this.scope = scope;
        this.signal = signal;
        this.traces = traces;
        this.clock = clock;
    }

    @Override
    public List<JobId> enqueueAll(Collection<JobRequest> requests) {
        return add(requests, store::enqueue, store::enqueue);
    }

    @Override
    public List<Enqueued> submitAll(Collection<JobRequest> requests) {
        return add(requests, store::submit, store::submit);
    }

    /** Writes jobs in the store's own transaction. */
    @FunctionalInterface
    private interface Write<T> {
        List<T> jobs(List<NewJob> jobs);
    }

    /** Writes jobs in the caller's transaction. */
    @FunctionalInterface
    private interface WriteIn<T> {
        List<T> jobs(Connection connection, List<NewJob> jobs) throws SQLException;
    }

    private <T> List<T> add(Collection<JobRequest> requests, Write<T> write, WriteIn<T> writeIn) {
        Optional<Connection> joined = scope.current();
        List<NewJob> jobs = check(requests, joined.orElse(null));
        if (jobs.isEmpty()) {
            return List.of();
        }
        if (joined.isPresent()) {
            List<T> added = traced(jobs, traced -> addIn(joined.get(), traced, writeIn));
            scope.afterCommit(() -> signal.newWork(lanes(jobs)));
            return added;
        }
        List<T> added = traced(jobs, write);
        signal.newWork(lanes(jobs));
        return added;
    }

    /** Writes jobs within the span that a tracer makes of it, if there is one. */
    private <T> List<T> traced(List<NewJob> jobs, Write<T> write) {
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

    @Override
    public Enqueuer in(Connection connection) {
        return new JobsIn(connection, lanes -> signalIn(connection, lanes));
    }

    /** Enqueues in a transaction of Muster's own caller, which runs the actions that it is given after the commit. */
    public Enqueuer in(Connection connection, Consumer<Runnable> afterCommit) {
        return new JobsIn(connection, lanes -> afterCommit.accept(() -> signal.newWork(lanes)));
    }

    private void signalIn(Connection connection, Set<Lane> lanes) {
        try {
            signal.newWork(connection, lanes);
        } catch (SQLException e) {
            throw new DatabaseUnavailable("the wake-up could not be sent; roll back: " + e.getMessage(), e);
        }
    }

    /** Enqueues in a transaction that others commit, and announces the lanes of the jobs. */
    private final class JobsIn implements Enqueuer {
        private final Connection connection;
        private final Consumer<Set<Lane>> announce;

        JobsIn(Connection connection, Consumer<Set<Lane>> announce) {
            this.connection = connection;
            this.announce = announce;
        }

        @Override
        public List<JobId> enqueueAll(Collection<JobRequest> requests) {
            return add(requests, store::enqueue);
        }

        @Override
        public List<Enqueued> submitAll(Collection<JobRequest> requests) {
            return add(requests, store::submit);
        }

        private <T> List<T> add(Collection<JobRequest> requests, WriteIn<T> write) {
            List<NewJob> jobs = check(requests, connection);
            if (jobs.isEmpty()) {
                return List.of();
            }
            List<T> added = traced(jobs, traced -> addIn(connection, traced, write));
            announce.accept(lanes(jobs));
            return added;
        }
    }

    private static <T> List<T> addIn(Connection connection, List<NewJob> jobs, WriteIn<T> write) {
        try {
            return write.jobs(connection, jobs);
        } catch (SQLException e) {
            if (SqlErrors.readOnly(e)) {
                throw new MusterException(
                        "jobs cannot be enqueued in a read-only transaction: enqueue in one that may write, or outside of it",
                        e);
            }
            throw new MusterException(
                    "the jobs could not be enqueued in the caller's transaction; roll back: " + e.getMessage(), e);
        }
    }

    private List<NewJob> check(Collection<JobRequest> requests, @Nullable Connection connection) {
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
    public NewJob check(JobRequest request, boolean complete, @Nullable Connection connection) {
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

    private static Set<Lane> lanes(List<NewJob> jobs) {
        return jobs.stream().map(NewJob::lane).collect(Collectors.toSet());
    }

    @Override
    public Optional<JobInfo> find(JobId id) {
        return reader.find(id).map(payloads::reveal);
    }

    @Override
    public JobInfo await(JobId id, Duration timeout) {
        new PollingWait("job " + id + " to end", timeout, clock)
                .until(JobStatus::isTerminal, () -> reader.currentStatus(id).orElseThrow(() -> noSuchJob(id)));
        return payloads.reveal(reader.current(id).orElseThrow(() -> noSuchJob(id)));
    }

    private static MusterException noSuchJob(JobId id) {
        return new MusterException("there is no job " + id);
    }

    /** The cast is safe because the codec reads the declared type. */
    @Override
    @SuppressWarnings("unchecked")
    public <R> @Nullable R result(JobType<?, R> type, JobInfo job) {
        if (type.result() == Void.class) {
            return null;
        }
        return (R) job.result()
                .map(text -> ResultJson.read(
                        json, resultText(job, text), type.result(), "job '" + job.name() + "' (" + job.id() + ")"))
                .orElse(null);
    }

    /** If the shown result is an envelope, it could not be decrypted or only looks like one: the stored value tells which. */
    private String resultText(JobInfo job, String shown) {
        if (!Payloads.isEnvelope(shown)) {
            return shown;
        }
        String stored = reader.current(job.id()).flatMap(JobInfo::result).orElse(shown);
        return payloads.open(job.id(), Payloads.Kind.RESULT, stored);
    }

    @Override
    public List<JobInfo> list(JobQuery query) {
        return reader.list(query).stream().map(payloads::reveal).toList();
    }

    @Override
    public JobPage search(JobQuery query) {
        return search(query, SEARCH_PATIENCE);
    }

    @Override
    public JobPage search(JobQuery query, Duration patience) {
        JobPage page = reader.search(query, patience);
        return new JobPage(page.jobs().stream().map(payloads::reveal).toList(), page.next(), page.searchedBackTo());
    }

    @Override
    public Map<JobStatus, JobCount> counts(JobQuery query) {
        return reader.counts(query);
    }

    @Override
    public Cancellation cancel(JobId id) {
        refuseDriver(id);
        Cancellation result = store.cancel(id);
        if (result == Cancellation.CANCELLED) {
            Set<Lane> freed = dependencies.resolveDependents(List.of(id));
            if (!freed.isEmpty()) {
                signal.newWork(freed);
            }
        }
        return result;
    }

    @Override
    public BulkCancellation cancelAll(JobQuery query) {
        return store.cancelAll(query, signal::newWork);
    }

    @Override
    public int retryAll(JobQuery query) {
        List<Lane> lanes = store.retryAll(RetryableJobs.only(query));
        backInLine(lanes);
        return lanes.size();
    }

    @Override
    public List<RetryableJobs> retryable(JobQuery query) {
        return store.retryable(RetryableJobs.only(query));
    }

    private void backInLine(Collection<Lane> lanes) {
        if (!lanes.isEmpty()) {
            signal.newWork(Set.copyOf(lanes));
        }
    }

    @Override
    public List<LogLine> logs(JobId id, long afterLine, int limit) {
        return reader.logs(id, afterLine, limit);
    }

    @Override
    public List<JobAttempt> attempts(JobId id) {
        return reader.attempts(id, MAX_ATTEMPTS);
    }

    /** Those of these jobs that belong to the tenant, as of now. */
    public Set<JobId> jobsOf(String tenant, Collection<JobId> ids) {
        return reader.jobsOf(tenant, ids);
    }

    @Override
    public boolean retry(JobId id) {
        refuseDriver(id);
        refuseTask(id);
        Optional<Lane> lane = store.retry(id);
        backInLine(lane.stream().toList());
        return lane.isPresent();
    }

    @Override
    public int retryWithDependents(JobId id) {
        return retryWithDependents(id, null);
    }

    /** @param tenant whose jobs alone are retried of those that depend on it; null for all of them */
    public int retryWithDependents(JobId id, @Nullable String tenant) {
        boolean retried = retry(id);
        List<Lane> dependents = store.retryDependents(id, tenant);
        backInLine(dependents);
        return dependents.size() + (retried ? 1 : 0);
    }

    @Override
    public boolean reschedule(JobId id, Instant at) {
        refuseDriver(id);
        return changed(store.reschedule(id, null, DueTime.at(at, "job " + id)));
    }

    @Override
    public boolean reschedule(JobId id, Duration delay) {
        refuseDriver(id);
        return changed(store.reschedule(id, DueTime.in(delay, "job " + id), null));
    }

    @Override
    public boolean reprioritise(JobId id, Priority priority) {
        refuseDriver(id);
        return changed(store.reprioritise(id, priority));
    }

    private void refuseDriver(JobId id) {
        if (reader.current(id).filter(job -> DriverJobs.isDriver(job.name())).isPresent()) {
            throw DriverJobs.refusal(id);
        }
    }

    /** The graph would not learn how such a job ends, because it has taken over how it ended before. */
    private void refuseTask(JobId id) {
        if (reader.current(id).filter(job -> Payloads.isTask(job.args())).isPresent()) {
            throw new InvalidJob("job " + id + " is a task of a graph; use muster.graphs(), or 'muster graphs retry'");
        }
    }

    /** Notifies all nodes even if the job is due later, because some may sleep until an even later time. */
    private boolean changed(Optional<Lane> lane) {
        backInLine(lane.stream().toList());
        return lane.isPresent();
    }
}
