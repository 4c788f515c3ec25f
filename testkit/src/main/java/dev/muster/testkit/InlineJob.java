package dev.muster.testkit;

import dev.muster.job.BackoffPolicy;
import dev.muster.job.Cancellation;
import dev.muster.job.Fence;
import dev.muster.job.JobHandler;
import dev.muster.job.JobInfo;
import dev.muster.job.JobInfo.Dependency;
import dev.muster.job.JobInfo.Progress;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRetries;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import dev.muster.job.LogLine;
import dev.muster.job.Priority;
import dev.muster.job.store.NewJob;
import dev.muster.testkit.HandlerRun.Result;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One job of {@link InlineJobs}. */
final class InlineJob implements AttemptContext.Notes {
    private static final String NODE = "inline";
    private static final HandlerRun RUN = new HandlerRun(Codec.get(), List.of());

    private final NewJob request;
    private final @Nullable JobHandler handler;
    private final Jobs jobs;
    private final JobRetries retries;
    private final Instant createdAt = Instant.now();
    private final List<LogLine> lines = new CopyOnWriteArrayList<>();
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

    JobInfo info() {
        State now = state;
        return new JobInfo(
                request.id(),
                request.name(),
                now.status,
                request.lane().queue(),
                Optional.of(request.lane().capability()).filter(c -> !c.isEmpty()),
                priority,
                now.attempt,
                retries.maxAttempts(),
                0,
                Optional.ofNullable(now.startedAt).map(started -> NODE),
                request.args(),
                Optional.ofNullable(now.result),
                Optional.ofNullable(now.status == JobStatus.COMPLETED ? null : now.error),
                Optional.ofNullable(now.status == JobStatus.COMPLETED ? now.error : null),
                Optional.ofNullable(request.key()),
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
                dependencies.apply(request));
    }

    boolean matches(JobQuery query) {
        return (query.ids().isEmpty() || query.ids().contains(request.id()))
                && (query.statuses().isEmpty() || query.statuses().contains(state.status))
                && query.name().map(request.name()::equals).orElse(true)
                && query.queue().map(request.lane().queue()::equals).orElse(true)
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

    /** Runs the job until it ends or is snoozed; a job without a handler stays as it is. */
    void runToEnd() {
        if (handler == null) {
            to(JobStatus.PENDING, state.attempt, state.error);
            return;
        }
        for (int attempt = 1; !state.status.isTerminal(); attempt++) {
            to(JobStatus.RUNNING, attempt, state.error);
            Result result = attempt(attempt);
            if (result instanceof Result.Completed completed) {
                end(JobStatus.COMPLETED, completed.json(), state.error);
            } else if (result instanceof Result.Failed failed) {
                end(JobStatus.FAILED, null, failed.error());
            } else if (result instanceof Result.Retried retried) {
                to(JobStatus.PENDING, attempt, retried.error());
            } else if (result instanceof Result.Snoozed snoozed) {
                snooze(attempt - 1, snoozed.delay());
                return;
            }
        }
    }

    private Result attempt(int attempt) {
        AtomicReference<Result> itself = new AtomicReference<>();
        AttemptContext context = new AttemptContext(
                request.id(),
                request.name(),
                request.lane().queue(),
                attempt,
                retries.maxAttempts(),
                0,
                Codec.metadata(request.metadata()),
                NODE,
                new Fence(1, attempt),
                jobs,
                this,
                (connection, value) -> itself.set(new Result.Completed(value == null ? null : Codec.write(value))));
        Result result = RUN.run(handler, retries, context, request.args());
        return itself.get() == null ? result : itself.get();
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

    private void snooze(int attempt, Duration delay) {
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

    @Override
    public void progress(Progress progress) {
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

    @Override
    public void line(String level, String message) {
        lines.add(new LogLine(lines.size() + 1L, Instant.now(), state.attempt, level, message));
    }
}
