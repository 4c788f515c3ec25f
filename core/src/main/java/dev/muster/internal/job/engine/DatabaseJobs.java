package dev.muster.internal.job.engine;

import dev.muster.internal.job.DueTime;
import dev.muster.internal.job.JobRegistry;
import dev.muster.internal.job.engine.NewJobs.Write;
import dev.muster.internal.job.payload.Payloads;
import dev.muster.internal.job.store.DependencyStore;
import dev.muster.internal.job.store.DriverJobs;
import dev.muster.internal.job.store.HandlerDirectory;
import dev.muster.internal.job.store.JobReader;
import dev.muster.internal.job.store.JobStore;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.NewJobTraces;
import dev.muster.internal.job.store.WorkSignal;
import dev.muster.internal.runtime.PollingWait;
import dev.muster.internal.runtime.ResultJson;
import dev.muster.job.BulkCancellation;
import dev.muster.job.Cancellation;
import dev.muster.job.CurrentTransaction;
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
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.JobType;
import dev.muster.job.Jobs;
import dev.muster.job.Lane;
import dev.muster.job.LogLine;
import dev.muster.job.Priority;
import dev.muster.job.RetryableJobs;
import dev.muster.job.payload.PayloadCipher;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.MusterException;
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
import org.jspecify.annotations.Nullable;

/** {@link Jobs} over the ports of a store. */
public final class DatabaseJobs implements Jobs {
    private static final int MAX_ATTEMPTS = 100;
    private static final Duration SEARCH_PATIENCE = Duration.ofSeconds(1);

    private final JobStore store;
    private final JobReader reader;
    private final DependencyStore dependencies;
    private final JsonCodec json;
    private final Payloads payloads;
    private final NewJobs newJobs;
    private final CurrentTransaction transaction;
    private final WorkSignal signal;
    private final Clock clock;

    /** The ports of a store that jobs are added to and read from. */
    public record Stores(JobStore jobs, JobReader reader, DependencyStore dependencies) {}

    /**
     * What accompanies an enqueue.
     *
     * @param transaction the transaction that it joins
     * @param signal tells nodes of the new jobs
     */
    public record Enqueuing(
            List<JobInterceptor> interceptors,
            CurrentTransaction transaction,
            WorkSignal signal,
            NewJobTraces traces) {}

    /** For jobs without encryption and without traces. */
    public DatabaseJobs(
            Stores stores,
            JsonCodec json,
            JobRegistry registry,
            HandlerDirectory directory,
            WorkSignal signal,
            Clock clock) {
        this(stores, json, new Payloads(PayloadCipher.none()), registry, directory, signal, clock);
    }

    private DatabaseJobs(
            Stores stores,
            JsonCodec json,
            Payloads payloads,
            JobRegistry registry,
            HandlerDirectory directory,
            WorkSignal signal,
            Clock clock) {
        this(
                stores,
                json,
                payloads,
                new RequestChecker(json, payloads, registry, directory, TenantOptions.strict(), clock, true),
                new Enqueuing(List.of(), CurrentTransaction.none(), signal, NewJobTraces.NONE),
                clock);
    }

    public DatabaseJobs(
            Stores stores,
            JsonCodec json,
            Payloads payloads,
            RequestChecker checker,
            Enqueuing enqueuing,
            Clock clock) {
        this.store = stores.jobs();
        this.reader = stores.reader();
        this.dependencies = stores.dependencies();
        this.json = json;
        this.payloads = payloads;
        this.newJobs = new NewJobs(stores.jobs(), checker, enqueuing.interceptors(), enqueuing.traces());
        this.transaction = enqueuing.transaction();
        this.signal = enqueuing.signal();
        this.clock = clock;
    }

    @Override
    public List<JobId> enqueueAll(Collection<JobRequest> requests) {
        Optional<Connection> joined = transaction.current();
        return joined.isPresent()
                ? in(joined.get(), transaction::afterCommit).enqueueAll(requests)
                : add(requests, store::enqueue);
    }

    @Override
    public List<Enqueued> submitAll(Collection<JobRequest> requests) {
        Optional<Connection> joined = transaction.current();
        return joined.isPresent()
                ? in(joined.get(), transaction::afterCommit).submitAll(requests)
                : add(requests, store::submit);
    }

    /** In the store's own transaction. */
    private <T> List<T> add(Collection<JobRequest> requests, Write<T> write) {
        List<NewJob> jobs = newJobs.check(requests, null);
        if (jobs.isEmpty()) {
            return List.of();
        }
        List<T> added = newJobs.traced(jobs, write);
        signal.newWork(NewJobs.lanes(jobs));
        return added;
    }

    @Override
    public Enqueuer in(Connection connection) {
        return new CallerTransactionEnqueuer(newJobs, connection, lanes -> signalIn(connection, lanes));
    }

    /** Enqueues in a transaction of Muster's own caller, which runs the actions that it is given after the commit. */
    public Enqueuer in(Connection connection, Consumer<Runnable> afterCommit) {
        return new CallerTransactionEnqueuer(
                newJobs, connection, lanes -> afterCommit.accept(() -> signal.newWork(lanes)));
    }

    private void signalIn(Connection connection, Set<Lane> lanes) {
        try {
            signal.newWork(connection, lanes);
        } catch (SQLException e) {
            throw new DatabaseUnavailable("the wake-up could not be sent; roll back: " + e.getMessage(), e);
        }
    }

    /**
     * A checked job, as the interceptors and its handler want it.
     *
     * @param complete whether the request has all its args
     * @throws dev.muster.job.JobNotAllowed if whoever asks over HTTP may not
     */
    public NewJob check(JobRequest request, boolean complete, @Nullable Connection connection) {
        return newJobs.check(request, complete, connection);
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
        signalNewWork(lanes);
        return lanes.size();
    }

    @Override
    public List<RetryableJobs> retryable(JobQuery query) {
        return store.retryable(RetryableJobs.only(query));
    }

    private void signalNewWork(Collection<Lane> lanes) {
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
        signalNewWork(lane.stream().toList());
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
        signalNewWork(dependents);
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
        signalNewWork(lane.stream().toList());
        return lane.isPresent();
    }
}
