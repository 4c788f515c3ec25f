package dev.muster.worker;

import dev.muster.job.ClaimLost;
import dev.muster.job.JobInterceptor;
import dev.muster.job.Jobs;
import dev.muster.job.Snooze;
import dev.muster.job.UnreadablePayload;
import dev.muster.job.payload.Payloads;
import dev.muster.job.store.ClaimStore;
import dev.muster.job.store.ClaimStore.CompletionState;
import dev.muster.job.store.ClaimStore.Content;
import dev.muster.job.store.ClaimStore.Marked;
import dev.muster.job.store.ClaimedJob;
import dev.muster.job.store.Outcome;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.JsonCodec.JsonException;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** Runs one claimed job on the current thread and queues its outcome. */
final class JobRun {
    private static final Logger log = LoggerFactory.getLogger(JobRun.class);
    private static final int MAX_RESULT = 1 << 20;
    private static final Duration UNREADABLE_DELAY = Duration.ofSeconds(30);

    private final String nodeId;
    private final ClaimStore store;
    private final JsonCodec json;
    private final Payloads payloads;
    private final ArgsReader argsReader;
    private final List<JobInterceptor> interceptors;
    private final Completer completer;
    private final OpenCompletions openCompletions;
    private final ClaimTable claims;
    private final JobThroughput throughput;
    private final JobLogBuffer logs;
    private final Jobs jobs;
    private final Dependents dependents;
    private final Clock clock;
    private final DatabaseOutages outages;

    JobRun(
            String nodeId,
            ClaimStore store,
            JsonCodec json,
            Payloads payloads,
            List<JobInterceptor> interceptors,
            Completer completer,
            OpenCompletions openCompletions,
            ClaimTable claims,
            JobThroughput throughput,
            JobLogBuffer logs,
            Jobs jobs,
            Dependents dependents,
            Clock clock) {
        this.nodeId = nodeId;
        this.store = store;
        this.json = json;
        this.payloads = payloads;
        this.argsReader = new ArgsReader(json, payloads, clock);
        this.interceptors = List.copyOf(interceptors);
        this.completer = completer;
        this.openCompletions = openCompletions;
        this.claims = claims;
        this.throughput = throughput;
        this.logs = logs;
        this.jobs = jobs;
        this.dependents = dependents;
        this.clock = clock;
        this.outages = new DatabaseOutages(store);
    }

    /** How the handler ended: with a value, or with a failure. */
    private record Result(@Nullable Object value, @Nullable Throwable failure, boolean noticedStop) {}

    void run(OpenClaim claim) {
        if (claim.leaseEnd() - clock.nanos() <= 0) {
            release(claim);
            return;
        }
        if (!claim.start(clock.nanos())) {
            return;
        }
        try {
            Content content = content(claim);
            if (content != null) {
                String args = argsReader.open(claim.job(), content.args());
                if (mayEnter(claim)) {
                    enter(claim, args, content);
                }
            }
        } catch (UnreadablePayload e) {
            // This is not the job's fault and does not count as an attempt: the job waits for a node that has the key.
            end(claim, new Outcome.Snoozed(claim.ref(), UNREADABLE_DELAY, putBack(e.getMessage())));
        } finally {
            claim.leaveThread();
            Thread.interrupted();
        }
    }

    /** The args and metadata for the handler; null if they cannot be read, in which case the claim is ended. */
    private @Nullable Content content(OpenClaim claim) {
        ClaimedJob job = claim.job();
        if (job.args() != null) {
            return new Content(job.args(), job.metadata());
        }
        Optional<Content> content;
        try {
            content = store.content(claim.ref());
        } catch (DatabaseUnavailable e) {
            log.debug("job={} its args could not be read, it goes back in the queue", job.id(), e);
            release(claim);
            return null;
        } catch (MusterException e) {
            // The problem may last, and without a delay the job would be claimed again at once.
            log.warn("job={} its args could not be read, it waits for a while: {}", job.id(), e.getMessage());
            end(
                    claim,
                    new Outcome.Snoozed(
                            claim.ref(), UNREADABLE_DELAY, putBack("its args could not be read: " + e.getMessage())));
            return null;
        }
        if (content.isEmpty()) {
            lose(claim);
            return null;
        }
        return content.get();
    }

    /** {@code jobs/why_not_running.sql} recognizes such a job by the beginning of this text. */
    private String putBack(String why) {
        return "put back in the queue by node " + nodeId + ": " + why;
    }

    private boolean mayEnter(OpenClaim claim) {
        if (claim.crashedOut()) {
            end(
                    claim,
                    new Outcome.Failed(
                            claim.ref(),
                            "its node died running it " + claim.job().crashes() + " time(s); too often to try again"));
            return false;
        }
        if (!claim.startsOnRecord()) {
            return true;
        }
        Marked marked;
        try {
            marked = store.markRunning(List.of(claim.asStart(0)));
        } catch (MusterException e) {
            // The start may be recorded or not; the handler was not entered in either case, so the job is released.
            release(claim);
            return false;
        }
        if (marked.lost().contains(claim.ref())) {
            lose(claim);
            return false;
        }
        if (!marked.running().contains(claim.ref())) {
            release(claim);
            return false;
        }
        claim.shown();
        if (claim.stopReason() != null || claim.leaseEnd() - clock.nanos() <= 0) {
            // Committing the start took so long that the claim has ended or is about to.
            release(claim);
            return false;
        }
        return true;
    }

    private void enter(OpenClaim claim, String args, Content content) {
        RunContext context = new RunContext(
                claim, content.metadata(), nodeId, store, json, payloads, jobs, logs.of(claim.job()), clock);
        MDC.put("job", claim.job().id().toString());
        MDC.put("job_name", claim.job().name());
        MDC.put("node", nodeId);
        long start = clock.nanos();
        Result result;
        try {
            result = invoke(claim, args, Payloads.isEnvelope(content.args()), context);
        } finally {
            MDC.remove("job");
            MDC.remove("job_name");
            MDC.remove("node");
        }
        throughput.record(clock.nanos() - start);
        if (claim.completesItself()) {
            checkCompletion(claim, result.failure());
        } else if (result.failure() instanceof ClaimLost) {
            lose(claim);
        } else {
            end(claim, outcome(claim, result));
        }
    }

    private Result invoke(OpenClaim claim, String argsText, boolean sealed, RunContext context) {
        Object value = null;
        Throwable failure = null;
        try {
            Object args = argsReader.bind(claim, argsText, sealed);
            value = proceed(context, claim, args, 0);
        } catch (Throwable e) {
            failure = e;
        }
        boolean interrupted = Thread.interrupted();
        // The handler noticed the stop if it consumed the interrupt or read the cancellation flag.
        boolean noticed = claim.stopReason() != null && (context.sawCancellation() || !interrupted);
        return new Result(value, failure, noticed);
    }

    private @Nullable Object proceed(RunContext context, OpenClaim claim, @Nullable Object args, int next)
            throws Exception {
        if (next == interceptors.size()) {
            return claim.handler().body().run(context, args);
        }
        return interceptors.get(next).run(context, () -> proceed(context, claim, args, next + 1));
    }

    private Outcome outcome(OpenClaim claim, Result result) {
        StopReason stopped = claim.stopReason();
        boolean failed = result.failure() != null;
        if (stopped != null && (failed || result.noticedStop())) {
            return stoppedOutcome(claim, stopped);
        }
        if (result.failure() instanceof Snooze snooze) {
            return new Outcome.Snoozed(claim.ref(), snooze.delay());
        }
        return failed ? failureOrOutage(claim, result.failure()) : completed(claim, result.value());
    }

    /** After a database outage the job runs again after the first wait of its policy, and the attempt does not count. */
    private Outcome failureOrOutage(OpenClaim claim, Throwable failure) {
        if (!outages.excuse(claim, failure)) {
            return failure(claim, failure);
        }
        Duration delay = claim.retries().delayAfterOutage(ThreadLocalRandom.current());
        return new Outcome.Snoozed(
                claim.ref(), delay, "the database was away, this attempt does not count: " + ErrorText.of(failure));
    }

    /** The outcome of a handler that was told to stop: a job that may run only once cannot go back to pending. */
    Outcome stoppedOutcome(OpenClaim claim, StopReason reason) {
        return switch (reason) {
            case CANCELLED -> new Outcome.Cancelled(claim.ref(), "cancelled while running");
            case TIMED_OUT -> failure(claim, new TimedOut(claim.timeout()));
            case DISCONNECTED, DRAINED, LOST ->
                claim.retries().runsOnce()
                        ? new Outcome.Failed(
                                claim.ref(), "stopped while it ran because " + reason + "; it may run only once")
                        : new Outcome.Released(claim.ref());
        };
    }

    private Outcome completed(OpenClaim claim, @Nullable Object value) {
        try {
            String result =
                    value == null ? null : payloads.seal(claim.job().id(), Payloads.Kind.RESULT, json.write(value));
            if (result != null && result.length() > MAX_RESULT) {
                return new Outcome.Failed(
                        claim.ref(),
                        "its result has " + result.length() + " characters; at most " + MAX_RESULT
                                + " are kept. Store large data elsewhere and return a reference",
                        ran(claim));
            }
            return new Outcome.Completed(claim.ref(), result, ran(claim));
        } catch (JsonException e) {
            return new Outcome.Failed(
                    claim.ref(), "its result cannot be written as JSON: " + e.getMessage(), ran(claim));
        } catch (MusterException e) {
            return failure(claim, e);
        }
    }

    private Duration ran(OpenClaim claim) {
        return Duration.ofNanos(clock.nanos() - claim.startedAt());
    }

    /** The outcome of a failed handler: another attempt, or a dead letter. */
    Outcome failure(OpenClaim claim, Throwable failure) {
        String error = ErrorText.of(failure);
        int attempt = claim.job().attempt();
        if (!(failure instanceof ArgsReader.BadArgs) && claim.retries().retries(attempt, failure)) {
            return new Outcome.Retried(
                    claim.ref(),
                    error,
                    claim.retries().delayAfter(attempt, failure, ThreadLocalRandom.current()),
                    null,
                    failure);
        }
        return new Outcome.Failed(claim.ref(), error, ran(claim), null, failure);
    }

    /** The handler has put the outcome into its own transaction: finds out whether it was committed. */
    private void checkCompletion(OpenClaim claim, @Nullable Throwable failure) {
        CompletionState state;
        try {
            state = store.completionOf(claim.ref());
        } catch (MusterException e) {
            state = CompletionState.OPEN;
        }
        if (state == CompletionState.OPEN) {
            openCompletions.add(claim, failure);
        } else {
            completionKnown(claim, state, failure);
        }
    }

    void completionKnown(OpenClaim claim, CompletionState state, @Nullable Throwable failure) {
        switch (state) {
            case COMMITTED -> {
                claim.end();
                if (claims.remove(claim.ref()) != null) {
                    completer.roomMade();
                    dependents.ended(List.of(claim.job().id()));
                }
            }
            case LOST -> lose(claim);
            case ROLLED_BACK -> {
                StopReason stopped = claim.stopReason();
                Throwable cause = failure != null
                        ? failure
                        : new MusterException("the transaction of completeIn was not committed");
                end(claim, stopped != null ? stoppedOutcome(claim, stopped) : failureOrOutage(claim, cause));
            }
            case OPEN -> throw new IllegalArgumentException("not settled");
        }
    }

    private void end(OpenClaim claim, Outcome outcome) {
        if (claim.end()) {
            completer.add(claim.withLastProgress(outcome));
        }
    }

    /** Something outside the handler failed; for example, memory ran out while the result was written. */
    void broken(OpenClaim claim, Throwable cause) {
        if (claim.completesItself()) {
            openCompletions.add(claim, cause);
        } else {
            end(claim, failure(claim, cause));
        }
    }

    private void release(OpenClaim claim) {
        end(claim, new Outcome.Released(claim.ref()));
    }

    private void lose(OpenClaim claim) {
        if (claim.lose()) {
            log.warn("job={} token={} claim lost", claim.job().id(), claim.ref().token());
        }
        claims.remove(claim.ref());
        completer.roomMade();
    }
}
