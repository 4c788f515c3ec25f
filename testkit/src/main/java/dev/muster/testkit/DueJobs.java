package dev.muster.testkit;

import dev.muster.internal.attempt.ArgsSource;
import dev.muster.internal.attempt.AttemptContext;
import dev.muster.internal.attempt.AttemptLog;
import dev.muster.internal.attempt.AttemptRules;
import dev.muster.internal.attempt.BadArgs;
import dev.muster.internal.attempt.HandlerEnd;
import dev.muster.internal.attempt.OpenArgs;
import dev.muster.internal.batch.BatchStore;
import dev.muster.internal.job.JobRegistry;
import dev.muster.internal.job.JobRetries;
import dev.muster.internal.job.payload.Payloads;
import dev.muster.internal.job.store.AdmissionStore;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimSession.Exchange;
import dev.muster.internal.job.store.ClaimStore;
import dev.muster.internal.job.store.ClaimStore.CompletionState;
import dev.muster.internal.job.store.ClaimStore.NewLogLine;
import dev.muster.internal.job.store.ClaimStore.Start;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.provider.Store;
import dev.muster.internal.recovery.LeaderOrStandIn;
import dev.muster.job.DeadLetter;
import dev.muster.job.ExpiredJob;
import dev.muster.job.FailedAttempt;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo.Progress;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobListener;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import dev.muster.job.UnreadablePayload;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Claims due jobs one by one and runs them on the calling thread: highest priority first, then by due time. */
final class DueJobs {
    private static final Logger log = LoggerFactory.getLogger(DueJobs.class);
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
    private final List<JobListener> listeners;

    /**
     * @param jobs through which handlers enqueue
     * @param payloads decrypts args and encrypts results, as nodes do
     * @param argsSource supplies args that are stored as a reference
     * @param listeners called at once, on the calling thread
     */
    DueJobs(
            Store store,
            JobRegistry registry,
            List<JobInterceptor> interceptors,
            Jobs jobs,
            Payloads payloads,
            ArgsSource argsSource,
            List<JobListener> listeners) {
        this.store = store;
        this.transactions = store.leaders()::unfenced;
        this.registry = registry;
        this.run = new HandlerRun(payloads, argsSource, interceptors);
        this.jobs = jobs;
        this.listeners = List.copyOf(listeners);
    }

    /** Does what nodes do from time to time: takes back the claims of dead nodes, ends expired jobs, closes batches and
     * admits jobs to their concurrency groups. */
    void sweep() {
        transactions.run(tx -> store.recovery().recoverExpired(tx, MANY, true)).stream()
                .filter(job -> job.status() == JobStatus.FAILED)
                .forEach(job -> tell(listener -> listener.deadLetter(job.asDeadLetter())));
        List<ExpiredJob> expired = transactions.run(tx -> store.recovery().expire(tx, MANY, true));
        store.dependencies()
                .resolveDependents(expired.stream().map(ExpiredJob::id).toList());
        expired.forEach(job -> tell(listener -> listener.expired(job)));
        transactions.run(store.dependencies()::sweepWaiting);
        store.port(BatchStore.class).closeDue(true);
        store.port(AdmissionStore.class).sweepAll();
    }

    /** Runs the first due job with one of these names and returns its id; empty if none is due. */
    Optional<JobId> runNext(Set<String> names, Collection<String> capabilities) {
        // A new session has no cursors, so it finds all jobs, in claim order.
        ClaimSession session =
                store.claims().openClaims(new ClaimFilter(NODE, null, Set.copyOf(capabilities), names, LEASE));
        List<ClaimedJob> claimed = session.exchange(List.of(), 1).claimed();
        if (claimed.isEmpty()) {
            return Optional.empty();
        }
        ClaimedJob job = claimed.get(0);
        TestAttempt attempt =
                TestAttempt.startingNow(job, registry.find(job.name()).orElseThrow());
        outcome(attempt).ifPresent(outcome -> write(session, attempt, outcome));
        if (store.jobReader()
                .find(job.id())
                .filter(j -> j.status().isTerminal())
                .isPresent()) {
            store.dependencies().resolveDependents(List.of(job.id()));
        }
        return Optional.of(job.id());
    }

    /** Runs the attempt. It has no outcome if the handler has written it itself, or has found its claim lost. */
    private Optional<Outcome> outcome(TestAttempt attempt) {
        AttemptRules rules = run.rules();
        ClaimedJob job = attempt.job();
        OpenArgs args;
        try {
            args = rules.openArgs(job.id(), job.args());
        } catch (UnreadablePayload e) {
            log.warn("job={} name={} put back: {}", job.id(), job.name(), e.getMessage());
            return Optional.of(rules.putBack(attempt, NODE, e.getMessage()));
        } catch (BadArgs e) {
            return Optional.of(rules.failure(attempt, e));
        }
        Optional<Outcome> closed = rules.closedToTenants(attempt, job.metadata());
        if (closed.isPresent()) {
            return closed;
        }
        Optional<Outcome> tooManyCrashes = rules.tooManyCrashes(attempt);
        if (tooManyCrashes.isPresent()) {
            return tooManyCrashes;
        }
        JobRetries retries = attempt.retries();
        store.claims().markRunning(List.of(new Start(job.claim(), retries.maxAttempts(), retries.maxCrashes(), 0)));
        Context context = new Context(attempt);
        HandlerEnd ended = run.call(attempt, context, args);
        if (context.completesItself()) {
            return isRolledBack(job)
                    ? Optional.of(rules.failure(attempt, AttemptRules.failureOfRollback(ended.failure())))
                    : Optional.empty();
        }
        return ended.claimLost() ? Optional.empty() : Optional.of(run.outcome(attempt, ended));
    }

    /** The context of a handler that the test's thread runs; nobody tells such a handler to stop. */
    private final class Context extends AttemptContext {
        private final ClaimedJob job;

        Context(TestAttempt attempt) {
            super(run.rules(), attempt, attempt.job().metadata(), NODE, jobs, new Log(store.claims(), attempt.job()));
            this.job = attempt.job();
        }

        @Override
        public Connection connection() throws SQLException {
            return store.connection();
        }

        @Override
        public boolean isCancelled() {
            return false;
        }

        /** The database decides, when the handler writes. */
        @Override
        protected boolean isLost() {
            return false;
        }

        /** Writes the progress at once; a node would write it a little later. */
        @Override
        protected void keep(Progress progress) {
            store.claims().progress(Map.of(job.claim(), progress));
        }

        @Override
        protected boolean complete(Connection connection, Outcome.Completed outcome) throws SQLException {
            return store.claims().completeIn(connection, outcome);
        }
    }

    /** Writes log lines at once; a node would write them a little later. */
    private static final class Log extends AttemptLog {
        private final ClaimStore store;
        private final ClaimedJob job;

        Log(ClaimStore store, ClaimedJob job) {
            this.store = store;
            this.job = job;
        }

        @Override
        protected void keep(String level, String line) {
            store.appendLogs(List.of(new NewLogLine(job.id(), job.attempt(), level, line, 0)));
        }
    }

    /** Whether the handler's transaction was rolled back; otherwise it was committed, or the claim was lost. */
    private boolean isRolledBack(ClaimedJob job) {
        CompletionState state = store.claims().completionOf(job.claim());
        if (state == CompletionState.OPEN) {
            throw new AssertionError("the handler of job '" + job.name() + "' (" + job.id()
                    + ") called completeIn and returned without committing or closing that connection");
        }
        return state == CompletionState.ROLLED_BACK;
    }

    private void write(ClaimSession session, TestAttempt attempt, Outcome outcome) {
        Exchange exchange = session.exchange(List.of(outcome), 0);
        if (!exchange.rejected().isEmpty()) {
            throw new AssertionError("job " + outcome.claim().id() + " was taken away while the test's thread ran it");
        }
        if (!exchange.deferred().isEmpty()) {
            throw new AssertionError("the outcome of job " + outcome.claim().id()
                    + " could not be written: another transaction holds its row, perhaps one of this test");
        }
        if (attempt.job().concurrencyGroup() != null) {
            store.claims().admit(Set.of(attempt.job().concurrencyGroup()));
        }
        String refusal = exchange.refused().get(outcome.claim());
        report(attempt, refusal == null ? outcome : new Outcome.Failed(outcome.claim(), refusal));
    }

    private void report(TestAttempt attempt, Outcome outcome) {
        ClaimedJob job = attempt.job();
        int maxAttempts = attempt.retries().maxAttempts();
        if (outcome instanceof Outcome.Retried retried) {
            tell(listener -> listener.attemptFailed(new FailedAttempt(
                    job.id(),
                    job.name(),
                    job.lane().queue(),
                    job.attempt(),
                    maxAttempts,
                    retried.error(),
                    Optional.ofNullable(retried.failure()),
                    retried.delay())));
        } else if (outcome instanceof Outcome.Failed failed) {
            tell(listener -> listener.deadLetter(new DeadLetter(
                    job.id(),
                    job.name(),
                    job.lane().queue(),
                    job.attempt(),
                    maxAttempts,
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
