package dev.muster.testkit;

import dev.muster.job.Cancellation;
import dev.muster.job.Fence;
import dev.muster.job.JobHandler;
import dev.muster.job.JobInfo;
import dev.muster.job.JobStatus;
import dev.muster.job.NewJob;
import dev.muster.job.RetryPolicy;
import dev.muster.testkit.HandlerRun.Result;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One job of {@link InlineJobs}. */
final class InlineJob {
    private static final String NODE = "inline";
    private static final HandlerRun RUN = new HandlerRun(Codec.get(), List.of());

    private final NewJob request;
    private final @Nullable JobHandler handler;
    private final RetryPolicy policy;
    private volatile JobInfo info;

    InlineJob(NewJob request, @Nullable JobHandler handler) {
        this.request = request;
        this.handler = handler;
        this.policy = (handler == null ? RetryPolicy.DEFAULT : handler.retry())
                .withLimits(request.maxAttempts(), request.maxCrashes());
        Instant now = Instant.now();
        Duration delay = request.delay() == null ? Duration.ZERO : request.delay();
        this.info = new JobInfo(
                request.id(),
                request.name(),
                JobStatus.PENDING,
                request.lane().queue(),
                Optional.of(request.lane().capability()).filter(c -> !c.isEmpty()),
                request.priority(),
                0,
                policy.maxAttempts(),
                0,
                Optional.empty(),
                request.args(),
                Optional.empty(),
                Optional.empty(),
                Optional.ofNullable(request.key()),
                request.at() == null ? now.plus(delay) : request.at(),
                now,
                Optional.empty(),
                Optional.empty());
    }

    NewJob request() {
        return request;
    }

    JobInfo info() {
        return info;
    }

    Cancellation cancel() {
        if (info.status().isTerminal()) {
            return Cancellation.ALREADY_ENDED;
        }
        if (info.status() == JobStatus.RUNNING) {
            return Cancellation.REQUESTED;
        }
        info = changed(JobStatus.CANCELLED, info.attempt(), null, "cancelled before it started");
        return Cancellation.CANCELLED;
    }

    /** Tries until it ends; a job without a handler stays where it is. */
    void runToEnd() {
        if (handler == null || info.status() == JobStatus.CANCELLED && info.attempt() == 0) {
            return;
        }
        for (int attempt = 1; ; attempt++) {
            info = changed(JobStatus.RUNNING, attempt, null, info.error().orElse(null));
            Result result = attempt(attempt);
            if (result instanceof Result.Completed completed) {
                info = changed(
                        JobStatus.COMPLETED,
                        attempt,
                        completed.json(),
                        info.error().orElse(null));
                return;
            }
            if (result instanceof Result.Failed failed) {
                info = changed(JobStatus.FAILED, attempt, null, failed.error());
                return;
            }
            info = changed(JobStatus.PENDING, attempt, null, ((Result.Retried) result).error());
        }
    }

    private Result attempt(int attempt) {
        AtomicReference<Result> itself = new AtomicReference<>();
        AttemptContext context = new AttemptContext(
                request.id(),
                request.name(),
                request.lane().queue(),
                attempt,
                policy.maxAttempts(),
                0,
                Codec.metadata(request.metadata()),
                NODE,
                new Fence(1, attempt),
                (connection, value) -> itself.set(new Result.Completed(value == null ? null : Codec.write(value))));
        Result result = RUN.run(handler, policy, context, request.args());
        return itself.get() == null ? result : itself.get();
    }

    private JobInfo changed(JobStatus status, int attempt, @Nullable String result, @Nullable String error) {
        Instant now = Instant.now();
        return new JobInfo(
                info.id(),
                info.name(),
                status,
                info.queue(),
                info.capability(),
                info.priority(),
                attempt,
                info.maxAttempts(),
                0,
                Optional.of(NODE),
                info.args(),
                Optional.ofNullable(result),
                Optional.ofNullable(error),
                info.key(),
                info.runAt(),
                info.createdAt(),
                status == JobStatus.RUNNING ? Optional.of(now) : info.startedAt(),
                status.isTerminal() ? Optional.of(now) : Optional.empty());
    }
}
