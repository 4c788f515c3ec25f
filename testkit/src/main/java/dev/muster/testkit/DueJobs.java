package dev.muster.testkit;

import dev.muster.Store;
import dev.muster.job.ClaimLost;
import dev.muster.job.DeadLetter;
import dev.muster.job.ExpiredJob;
import dev.muster.job.FailedAttempt;
import dev.muster.job.Fence;
import dev.muster.job.JobHandler;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo.Progress;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobListener;
import dev.muster.job.JobRegistry;
import dev.muster.job.JobRetries;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import dev.muster.job.payload.Payloads;
import dev.muster.job.store.ClaimScope;
import dev.muster.job.store.ClaimSession;
import dev.muster.job.store.ClaimStore;
import dev.muster.job.store.ClaimStore.CompletionState;
import dev.muster.job.store.ClaimStore.NewLogLine;
import dev.muster.job.store.ClaimStore.Start;
import dev.muster.job.store.ClaimedJob;
import dev.muster.job.store.Outcome;
import dev.muster.recovery.LeaderOrStandIn;
import dev.muster.testkit.HandlerRun.Result;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Claims due jobs one by one and runs them on the calling thread: highest priority first, then by due time. */
final class DueJobs {
    /** The node id under which the test's thread claims. */
    static final String NODE = "test-thread";

    /** Long, because nothing renews the lease while a handler runs on the test's thread, and the handler may move the clock. */
    private static final Duration LEASE = Duration.ofDays(3_650);

    private static final int MANY = 10_000;

    private final Store store;
    private final LeaderOrStandIn.Transactions transactions;
    private final JobRegistry registry;
    private final HandlerRun run;
    private final Jobs jobs;
    private final Payloads payloads;
    private final List<JobListener> listeners;

    /**
     * @param jobs through which handlers enqueue
     * @param payloads decrypts args and encrypts results, as nodes do
     * @param listeners called at once, on the calling thread
     */
    DueJobs(
            Store store,
            JobRegistry registry,
            List<JobInterceptor> interceptors,
            Jobs jobs,
            Payloads payloads,
            List<JobListener> listeners) {
        this.store = store;
        this.transactions = store.leaders()::unfenced;
        this.registry = registry;
        this.run = new HandlerRun(Codec.get(), interceptors);
        this.jobs = jobs;
        this.payloads = payloads;
        this.listeners = List.copyOf(listeners);
    }

    /** Does what nodes do from time to time: takes back the claims of dead nodes and ends expired jobs. */
    void sweep() {
        transactions.run(tx -> store.recovery().recoverExpired(tx, MANY, true)).stream()
                .filter(job -> job.status() == JobStatus.FAILED)
                .forEach(job -> tell(listener -> listener.deadLetter(job.asDeadLetter())));
        List<ExpiredJob> expired = transactions.run(tx -> store.recovery().expire(tx, MANY, true));
        store.dependencies()
                .resolveDependents(expired.stream().map(ExpiredJob::id).toList());
        expired.forEach(job -> tell(listener -> listener.expired(job)));
        transactions.run(store.dependencies()::sweepWaiting);
    }

    /** Runs the first due job with one of these names and returns its id; empty if none is due. */
    Optional<JobId> runNext(Set<String> names, Collection<String> capabilities) {
        // A new session has no cursors, so it finds all jobs, in claim order.
        ClaimSession session =
                store.claims().openClaims(new ClaimScope(NODE, null, Set.copyOf(capabilities), names, LEASE));
        List<ClaimedJob> claimed = session.exchange(List.of(), 1).claimed();
        if (claimed.isEmpty()) {
            return Optional.empty();
        }
        ClaimedJob job = claimed.get(0);
        attempt(session, job);
        if (store.jobReader()
                .find(job.id())
                .filter(j -> j.status().isTerminal())
                .isPresent()) {
            store.dependencies().resolveDependents(List.of(job.id()));
        }
        return Optional.of(job.id());
    }

    private void attempt(ClaimSession session, ClaimedJob job) {
        JobHandler handler = registry.find(job.name()).orElseThrow();
        JobRetries retries = JobRetries.of(handler.retry(), job.maxAttempts(), job.maxCrashes());
        if (job.crashes() > 0 && job.crashes() >= retries.maxCrashes()) {
            write(
                    session,
                    job,
                    retries,
                    new Outcome.Failed(job.claim(), "its node died running it too often to try again"));
            return;
        }
        store.claims().markRunning(List.of(new Start(job.claim(), retries.maxAttempts(), retries.maxCrashes(), 0)));
        AtomicBoolean completesItself = new AtomicBoolean();
        Result result = run.run(
                handler, retries, context(job, retries, completesItself), payloads.openToRun(job.id(), job.args()));
        if (!completesItself.get()) {
            write(session, job, retries, outcome(job, result));
        } else if (completion(job) == CompletionState.ROLLED_BACK) {
            write(session, job, retries, outcome(job, rolledBack(retries, job, result)));
        }
    }

    private AttemptContext context(ClaimedJob job, JobRetries retries, AtomicBoolean completesItself) {
        return new AttemptContext(
                job.id(),
                job.name(),
                job.lane().queue(),
                job.attempt(),
                retries.maxAttempts(),
                job.crashes(),
                Codec.metadata(job.metadata()),
                NODE,
                new Fence(job.timeline(), job.claim().token()),
                jobs,
                new StoredNotes(store.claims(), job),
                (connection, value) -> {
                    completesItself.set(true);
                    if (!store.claims()
                            .completeIn(
                                    connection, job.claim(), sealed(job, value == null ? null : Codec.write(value)))) {
                        throw new ClaimLost(job.id());
                    }
                });
    }

    /** Writes progress and log lines at once; a node would write them a little later. */
    private record StoredNotes(ClaimStore store, ClaimedJob job) implements AttemptContext.Notes {
        @Override
        public void progress(Progress progress) {
            store.progress(Map.of(job.claim(), progress));
        }

        @Override
        public void line(String level, String message) {
            store.appendLogs(List.of(new NewLogLine(job.id(), job.attempt(), level, message, 0)));
        }
    }

    private CompletionState completion(ClaimedJob job) {
        CompletionState state = store.claims().completionOf(job.claim());
        if (state == CompletionState.OPEN) {
            throw new AssertionError("the handler of job '" + job.name() + "' (" + job.id()
                    + ") called completeIn and returned without committing or closing that connection");
        }
        return state;
    }

    private Result rolledBack(JobRetries retries, ClaimedJob job, Result result) {
        return result instanceof Result.Completed
                ? run.failure(
                        retries,
                        job.attempt(),
                        new IllegalStateException("the transaction of completeIn was not committed"))
                : result;
    }

    private @Nullable String sealed(ClaimedJob job, @Nullable String result) {
        return result == null ? null : payloads.seal(job.id(), Payloads.Kind.RESULT, result);
    }

    private Outcome outcome(ClaimedJob job, Result result) {
        if (result instanceof Result.Retried retried) {
            return new Outcome.Retried(job.claim(), retried.error(), retried.delay(), null, retried.failure());
        }
        if (result instanceof Result.Snoozed snoozed) {
            return new Outcome.Snoozed(job.claim(), snoozed.delay());
        }
        return result instanceof Result.Failed failed
                ? new Outcome.Failed(job.claim(), failed.error(), null, null, failed.failure())
                : new Outcome.Completed(job.claim(), sealed(job, ((Result.Completed) result).json()));
    }

    private void write(ClaimSession session, ClaimedJob job, JobRetries retries, Outcome outcome) {
        if (!session.exchange(List.of(outcome), 0).rejected().isEmpty()) {
            throw new AssertionError("job " + outcome.claim().id() + " was taken away while the test's thread ran it");
        }
        if (outcome instanceof Outcome.Retried retried) {
            tell(listener -> listener.attemptFailed(new FailedAttempt(
                    job.id(),
                    job.name(),
                    job.lane().queue(),
                    job.attempt(),
                    retries.maxAttempts(),
                    retried.error(),
                    Optional.ofNullable(retried.failure()),
                    retried.delay())));
        } else if (outcome instanceof Outcome.Failed failed) {
            tell(listener -> listener.deadLetter(new DeadLetter(
                    job.id(),
                    job.name(),
                    job.lane().queue(),
                    job.attempt(),
                    retries.maxAttempts(),
                    job.crashes(),
                    NODE,
                    failed.error(),
                    Optional.ofNullable(failed.failure()))));
        }
    }

    private void tell(Consumer<JobListener> event) {
        listeners.forEach(event);
    }
}
