package dev.muster.testkit;

import dev.muster.internal.attempt.AttemptContext;
import dev.muster.internal.attempt.AttemptLog;
import dev.muster.internal.attempt.HandlerEnd;
import dev.muster.internal.job.JobRetries;
import dev.muster.internal.job.payload.Payloads;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.job.store.TenantKey;
import dev.muster.job.BackoffPolicy;
import dev.muster.job.Cancellation;
import dev.muster.job.JobAttempt;
import dev.muster.job.JobHandler;
import dev.muster.job.JobInfo;
import dev.muster.job.JobInfo.Dependency;
import dev.muster.job.JobInfo.Progress;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import dev.muster.job.LogLine;
import dev.muster.job.Priority;
import dev.muster.job.payload.PayloadCipher;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One job of {@link InlineJobs}. */
final class InlineJob {
    private static final String NODE = "inline";
    private static final long TIMELINE = 1;
    private static final Payloads PAYLOADS = new Payloads(PayloadCipher.none());
    private static final HandlerRun RUN = new HandlerRun(PAYLOADS, (id, stored) -> Optional.empty(), List.of());

    private final NewJob request;
    private final @Nullable JobHandler handler;
    private final Jobs jobs;
    private final JobRetries retries;
    private final Instant createdAt = Instant.now();
    private final List<LogLine> lines = new CopyOnWriteArrayList<>();
    private final List<JobAttempt> attempts = new CopyOnWriteArrayList<>();
    private final Function<NewJob, List<Dependency>> dependencies;
    private volatile Priority priority;
    private volatile State state;

    /** The parts of a job that change. */
    private record State(
            JobStatus status,
            int attempt,
            @Nullable String result,
            @Nullable String error,
            @Nullable Progress progress,
            Instant runAt,
            @Nullable Instant startedAt,
            @Nullable Instant finishedAt) {}

    /**
     * @param jobs through which the handler enqueues
     * @param dependencies returns the jobs that a job depends on, in their current state
     */
    InlineJob(
            NewJob request, @Nullable JobHandler handler, Jobs jobs, Function<NewJob, List<Dependency>> dependencies) {
        this.request = request;
        this.jobs = jobs;
        this.dependencies = dependencies;
        this.priority = request.priority();
        this.handler = handler;
        this.retries = JobRetries.of(
                handler == null ? BackoffPolicy.DEFAULT : handler.retry(),
                request.options().maxAttempts(),
                request.options().maxCrashes());
        this.state = fresh();
    }

    private State fresh() {
        Duration delay = request.timing().delay() == null
                ? Duration.ZERO
                : request.timing().delay();
        Instant runAt = request.timing().at() == null
                ? createdAt.plus(delay)
                : request.timing().at();
        return new State(JobStatus.PENDING, 0, null, null, null, runAt, null, null);
    }

    NewJob request() {
        return request;
    }

    JobStatus status() {
        return state.status;
    }

    List<LogLine> lines() {
        return lines;
    }

    /** The attempts that have ended, oldest first. */
    List<JobAttempt> attempts() {
        return List.copyOf(attempts);
    }

    JobInfo info() {
        State now = state;
        return PAYLOADS.reveal(new JobInfo(
                request.id(),
                request.name(),
                now.status,
                request.lane().queue(),
                Optional.of(request.lane().capability()).filter(c -> !c.isEmpty()),
                priority,
                Optional.empty(),
                now.attempt,
                retries.maxAttempts(),
                0,
                Optional.ofNullable(now.startedAt).map(started -> NODE),
                request.args(),
                Optional.ofNullable(now.result),
                Optional.ofNullable(now.status == JobStatus.COMPLETED ? null : now.error),
                Optional.ofNullable(now.status == JobStatus.COMPLETED ? now.error : null),
                Optional.ofNullable(request.shownKey()),
                request.tags(),
                Optional.ofNullable(now.progress),
                Codec.metadata(request.metadata()),
                now.runAt,
                createdAt,
                Optional.ofNullable(now.startedAt),
                Optional.ofNullable(now.finishedAt),
                Optional.empty(),
                Optional.ofNullable(
                        request.timing().expiresIn() == null
                                ? request.timing().expiresAt()
                                : createdAt.plus(request.timing().expiresIn())),
                Optional.ofNullable(request.options().timeout()),
                dependencies.apply(request),
                Optional.empty(),
                Optional.ofNullable(request.trace())));
    }

    boolean matches(JobQuery query) {
        return (query.ids().isEmpty() || query.ids().contains(request.id()))
                && (query.statuses().isEmpty() || query.statuses().contains(state.status))
                && query.name().map(request.name()::equals).orElse(true)
                && query.queue().map(request.lane().queue()::equals).orElse(true)
                && TenantKey.stored(query).map(key -> key.equals(request.key())).orElse(true)
                && request.tags().containsAll(query.tags())
                && Codec.metadata(request.metadata())
                        .entrySet()
                        .containsAll(query.metadata().entrySet())
                && query.before().map(id -> request.id().compareTo(id) < 0).orElse(true);
    }

    Cancellation cancel() {
        if (state.status.isTerminal()) {
            return Cancellation.ALREADY_ENDED;
        }
        if (state.status == JobStatus.RUNNING) {
            return Cancellation.REQUESTED;
        }
        cancel("cancelled before it started");
        return Cancellation.CANCELLED;
    }

    void cancel(String reason) {
        end(JobStatus.CANCELLED, null, reason);
    }

    /** Lets the job wait for the jobs it depends on. */
    void await() {
        to(JobStatus.WAITING, state.attempt, state.error);
    }

    void reprioritise(Priority wanted) {
        priority = wanted;
    }

    void reschedule(Instant runAt) {
        State last = state;
        state = new State(last.status, last.attempt, null, last.error, last.progress, runAt, last.startedAt, null);
    }

    /** Resets the job for a retry. */
    void reset() {
        state = fresh();
    }

    /** Runs the job until it ends or is put back; a job without a handler stays as it is. */
    void runToEnd() {
        if (handler == null) {
            to(JobStatus.PENDING, state.attempt, state.error);
            return;
        }
        for (int attempt = 1; !state.status.isTerminal(); attempt++) {
            to(JobStatus.RUNNING, attempt, state.error);
            Outcome outcome = attempt(handler, attempt);
            if (outcome instanceof Outcome.Completed completed) {
                end(JobStatus.COMPLETED, completed.result(), state.error);
                ended(JobAttempt.Outcome.COMPLETED, null);
            } else if (outcome instanceof Outcome.Failed failed) {
                end(JobStatus.FAILED, null, failed.error());
                ended(JobAttempt.Outcome.FAILED, failed.error());
            } else if (outcome instanceof Outcome.Retried retried) {
                to(JobStatus.PENDING, attempt, retried.error());
                ended(JobAttempt.Outcome.RETRIED, retried.error());
            } else {
                boolean asked = outcome instanceof Outcome.Snoozed;
                ended(asked ? JobAttempt.Outcome.SNOOZED : JobAttempt.Outcome.RELEASED, null);
                putBack(attempt - 1, outcome instanceof Outcome.Snoozed snoozed ? snoozed.delay() : Duration.ZERO);
                return;
            }
        }
    }

    /** Keeps the attempt whose state was just written, or, if it is put back, is about to be. */
    private void ended(JobAttempt.Outcome outcome, @Nullable String error) {
        State last = state;
        attempts.add(new JobAttempt(
                last.attempt,
                Optional.of(NODE),
                Optional.ofNullable(last.startedAt),
                Optional.ofNullable(last.finishedAt).orElseGet(Instant::now),
                outcome,
                Optional.ofNullable(error)));
    }

    private Outcome attempt(JobHandler handler, int number) {
        ClaimedJob job = new ClaimedJob(
                        new ClaimRef(request.id(), number),
                        TIMELINE,
                        request.name(),
                        request.lane(),
                        number,
                        request.options().maxAttempts(),
                        request.options().maxCrashes(),
                        0,
                        false,
                        request.options().timeout(),
                        request.args(),
                        request.metadata())
                .withTrace(request.trace());
        TestAttempt attempt = TestAttempt.startingNow(job, handler);
        Context context = new Context(attempt);
        HandlerEnd ended = RUN.call(attempt, context, RUN.rules().openArgs(request.id(), request.args()));
        if (context.completion != null) {
            return context.completion;
        }
        return ended.claimLost() ? new Outcome.Released(job.claim()) : RUN.outcome(attempt, ended);
    }

    /** The context of a handler that runs inline: it can neither be told to stop nor lose its job. */
    private final class Context extends AttemptContext {
        private Outcome.@Nullable Completed completion;

        Context(TestAttempt attempt) {
            super(RUN.rules(), attempt, request.metadata(), NODE, jobs, new Log());
        }

        @Override
        public Connection connection() throws SQLException {
            return InlineJobs.noConnection();
        }

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        protected boolean isLost() {
            return false;
        }

        @Override
        protected void keep(Progress progress) {
            InlineJob.this.progress(progress);
        }

        /** There is no transaction to put it into: the handler is expected to commit. */
        @Override
        protected boolean complete(Connection connection, Outcome.Completed outcome) {
            completion = outcome;
            return true;
        }
    }

    /** The log lines of one attempt. */
    private final class Log extends AttemptLog {
        @Override
        protected void keep(String level, String line) {
            lines.add(new LogLine(lines.size() + 1L, Instant.now(), state.attempt, level, line));
        }
    }

    private void to(JobStatus status, int attempt, @Nullable String error) {
        Instant started = status == JobStatus.RUNNING ? Instant.now() : state.startedAt;
        state = new State(status, attempt, null, error, state.progress, state.runAt, started, null);
    }

    private void end(JobStatus status, @Nullable String result, @Nullable String error) {
        State last = state;
        state = new State(
                status, last.attempt, result, error, last.progress, last.runAt, last.startedAt, Instant.now());
    }

    private void putBack(int attempt, Duration delay) {
        State last = state;
        state = new State(
                JobStatus.PENDING,
                attempt,
                null,
                last.error,
                last.progress,
                Instant.now().plus(delay),
                last.startedAt,
                null);
    }

    private void progress(Progress progress) {
        State last = state;
        state = new State(
                last.status,
                last.attempt,
                last.result,
                last.error,
                progress,
                last.runAt,
                last.startedAt,
                last.finishedAt);
    }
}
