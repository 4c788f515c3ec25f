package dev.muster.internal.worker;

import dev.muster.internal.attempt.AttemptRules;
import dev.muster.internal.attempt.BadArgs;
import dev.muster.internal.attempt.ErrorText;
import dev.muster.internal.attempt.HandlerEnd;
import dev.muster.internal.attempt.OpenArgs;
import dev.muster.internal.job.store.AdmissionStore;
import dev.muster.internal.job.store.ClaimStore;
import dev.muster.internal.job.store.ClaimStore.CompletionState;
import dev.muster.internal.job.store.ClaimStore.Content;
import dev.muster.internal.job.store.ClaimStore.Marked;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.ConcurrencyGroup;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.job.store.TenantKey;
import dev.muster.internal.runtime.LogContext;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.job.ConcurrencyLimit;
import dev.muster.job.Snooze;
import dev.muster.job.UnreadablePayload;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.MusterException;
import dev.muster.telemetry.Telemetry;
import dev.muster.telemetry.Telemetry.End.How;
import dev.muster.telemetry.Tracing;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Runs one claimed job on the current thread and queues its outcome. {@link AttemptRules} say how the handler is called and what its end
 * means; this class decides what takes precedence over them, which is what happened to the claim meanwhile.
 */
final class JobRun implements JobRunner {
    private static final Logger log = LoggerFactory.getLogger(JobRun.class);

    /** When a job comes back that could not be counted in the rate of its group. */
    private static final Duration IF_NOT_COUNTED = Duration.ofSeconds(1);

    private final HandlerAccess access;
    private final String nodeId;
    private final ClaimStore store;
    private final AttemptRules rules;
    private final ArgsReader argsReader;
    private final JsonCodec json;
    private final Consumer<Set<String>> admit;
    private final Completer completer;
    private final OpenCompletions openCompletions;
    private final ClaimTable claims;
    private final JobLogBuffer logs;
    private final Dependents dependents;
    private final OutcomeReports reports;
    private final TelemetryListeners telemetry;
    private final Clock clock;
    private final DatabaseOutages outages;

    JobRun(
            HandlerAccess access,
            ClaimStore store,
            AttemptRules rules,
            OpenWork work,
            FollowUps after,
            TelemetryListeners telemetry,
            Clock clock) {
        this.access = access;
        this.nodeId = access.node();
        this.store = store;
        this.rules = rules;
        this.argsReader = new ArgsReader(rules, clock);
        this.json = rules.json();
        this.admit = after.admit();
        this.completer = work.completer();
        this.openCompletions = work.completions();
        this.claims = work.claims();
        this.logs = work.logs();
        this.dependents = after.dependents();
        this.reports = after.reports();
        this.telemetry = telemetry;
        this.clock = clock;
        this.outages = new DatabaseOutages(store);
    }

    @Override
    public void run(OpenClaim claim) {
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
                OpenArgs args = args(claim, content);
                if (args != null
                        && isOpenToWhoAsked(claim, content)
                        && isInItsGroup(claim, args, content)
                        && mayBegin(claim)
                        && mayEnter(claim)) {
                    enter(claim, args, content);
                }
            }
        } catch (UnreadablePayload e) {
            end(claim, rules.putBack(claim, nodeId, e.getMessage()));
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
            end(claim, rules.putBack(claim, nodeId, "its args could not be read: " + e.getMessage()));
            return null;
        }
        if (content.isEmpty()) {
            lose(claim);
            return null;
        }
        return content.get();
    }

    /** The args for the handler; null if they are a reference that leads to nothing or cannot be followed, in which case the claim is ended. */
    private @Nullable OpenArgs args(OpenClaim claim, Content content) {
        try {
            return argsReader.open(claim.job(), content.args());
        } catch (UnreadablePayload e) {
            throw e;
        } catch (BadArgs e) {
            end(claim, rules.failure(claim, e));
        } catch (DatabaseUnavailable e) {
            log.debug(
                    "job={} its args could not be fetched, it goes back in the queue",
                    claim.job().id(),
                    e);
            release(claim);
        } catch (MusterException e) {
            log.warn(
                    "job={} its args could not be fetched, it waits for a while: {}",
                    claim.job().id(),
                    e.getMessage());
            end(claim, rules.putBack(claim, nodeId, "its args could not be fetched: " + e.getMessage()));
        }
        return null;
    }

    /** Whether the handler is open to whoever has asked for the job; if not, the claim is ended. */
    private boolean isOpenToWhoAsked(OpenClaim claim, Content content) {
        Optional<Outcome> closed = rules.closedToTenants(claim, content.metadata());
        closed.ifPresent(outcome -> end(claim, outcome));
        return closed.isEmpty();
    }

    /** Whether the job is limited as its handler declares; if not, it is put into its group, and the claim is ended. */
    private boolean isInItsGroup(OpenClaim claim, OpenArgs args, Content content) {
        ClaimedJob job = claim.job();
        ConcurrencyLimit limit = claim.handler().concurrencyLimit();
        if (limit == null) {
            return true;
        }
        String named = ConcurrencyGroup.keyIn(job.concurrencyGroup(), job.name());
        if (named != null && limit.concurrencyKey().isEmpty() && TenantKey.wasAskedFor(content.metadata(), json)) {
            // Its enqueuer did not know that the limit is for all jobs together. With a key of its own it would evade
            // the limit.
            named = null;
        } else if (ConcurrencyGroup.suits(job.concurrencyGroup(), job.name(), limit)) {
            return true;
        }
        String key = named != null
                ? named
                : ConcurrencyGroup.keyOf(
                        limit, TenantKey.tenantIn(content.metadata(), json), args.json(), args.sealed(), json);
        end(claim, new AdmissionStore.PutInGroup(claim.ref(), ConcurrencyGroup.of(job.name(), limit, key)));
        return false;
    }

    /** Whether the rate of the job's group lets it begin now; if not, it comes back later, and the claim is ended. */
    private boolean mayBegin(OpenClaim claim) {
        ConcurrencyLimit limit = claim.handler().concurrencyLimit();
        String group = claim.job().concurrencyGroup();
        if (limit == null || limit.rate() == null || group == null) {
            return true;
        }
        AdmissionStore.Begin begin;
        try {
            begin = store.mayBegin(group);
        } catch (DatabaseUnavailable e) {
            log.debug(
                    "job={} could not be counted, it goes back in the queue",
                    claim.job().id(),
                    e);
            release(claim);
            return false;
        } catch (MusterException e) {
            log.debug(
                    "job={} could not be counted, it comes back later",
                    claim.job().id(),
                    e);
            end(claim, new AdmissionStore.TooEarly(claim.ref(), IF_NOT_COUNTED));
            return false;
        }
        if (begin.later() || !waited(begin.after())) {
            end(claim, new AdmissionStore.TooEarly(claim.ref(), begin.after()));
            return false;
        }
        if (claim.stopReason() != null || claim.leaseEnd() - clock.nanos() <= 0) {
            release(claim);
            return false;
        }
        return true;
    }

    /** False if the thread was interrupted. */
    private static boolean waited(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    private boolean mayEnter(OpenClaim claim) {
        Optional<Outcome> tooManyCrashes = rules.tooManyCrashes(claim);
        if (tooManyCrashes.isPresent()) {
            end(claim, tooManyCrashes.get());
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

    private void enter(OpenClaim claim, OpenArgs args, Content content) {
        Tracing.Span span = beginSpan(claim);
        long start = 0;
        HandlerEnd ended = null;
        Throwable broken = null;
        boolean noticedStop = false;
        // Whatever happens, the span must not stay the current one of this thread, which runs other jobs later.
        try {
            RunContext context =
                    new RunContext(rules, claim, content.metadata(), access, store, logs.of(claim.job()), span.trace());
            MDC.put("job", claim.job().id().toString());
            MDC.put("job_name", claim.job().name());
            claim.entering();
            tellStart(claim);
            start = clock.nanos();
            try {
                ended = rules.call(claim, context, args);
                // The handler noticed the stop if it consumed the interrupt or read the cancellation flag. If it
                // noticed the stop so late that nobody waited for it any more, its result does not count.
                noticedStop = claim.consumedStop(ended.leftInterrupted())
                        || claim.stopReason() != null && context.sawCancellation()
                        || claim.handlerGivenUp();
            } finally {
                tellEnd(claim, start, ended, noticedStop);
            }
        } catch (RuntimeException | Error e) {
            broken = e;
            throw e;
        } finally {
            span.end(broken != null ? broken : failureOf(ended));
            // Also removes what the handler has left behind, which would appear in the log lines of the next job.
            LogContext.reset(JobThreads.COMPONENT);
        }
        claim.executor().throughput().record(clock.nanos() - start);
        if (claim.completesItself()) {
            checkCompletion(claim, ended.failure());
        } else if (ended.claimLost()) {
            lose(claim);
        } else {
            end(claim, outcome(claim, ended, noticedStop));
        }
    }

    private Tracing.Span beginSpan(OpenClaim claim) {
        Tracing.Span span = telemetry.traces().process(claim.job(), nodeId);
        if (span != Tracing.Span.NONE) {
            // A tracer may have consumed an interrupt that came meanwhile.
            claim.interruptAgainIfStopped();
        }
        return span;
    }

    private void tellStart(OpenClaim claim) {
        if (telemetry.isEnabled()) {
            telemetry.started(new Telemetry.Start(TelemetryListeners.claimOf(claim.job())));
            // A listener may have consumed an interrupt that was meant for the handler.
            claim.interruptAgainIfStopped();
        }
    }

    /** @param ended null if the call could not be completed, for lack of memory for example */
    private void tellEnd(OpenClaim claim, long start, @Nullable HandlerEnd ended, boolean noticedStop) {
        if (telemetry.isEnabled()) {
            telemetry.ended(new Telemetry.End(
                    TelemetryListeners.claimOf(claim.job()),
                    clock.nanos() - start,
                    ended == null ? How.FAILED : how(claim, ended, noticedStop),
                    Optional.ofNullable(failureOf(ended))));
        }
    }

    /** What the handler threw; null if nothing, or a snooze. */
    private static @Nullable Throwable failureOf(@Nullable HandlerEnd ended) {
        return ended == null || ended.failure() instanceof Snooze ? null : ended.failure();
    }

    private static How how(OpenClaim claim, HandlerEnd ended, boolean noticedStop) {
        if (ended.claimLost()) {
            return How.CLAIM_LOST;
        }
        if (claim.stopReason() != null && (ended.failure() != null || noticedStop)) {
            return How.STOPPED;
        }
        return ended.failed() ? How.FAILED : ended.failure() != null ? How.SNOOZED : How.RETURNED;
    }

    private Outcome outcome(OpenClaim claim, HandlerEnd ended, boolean noticedStop) {
        StopReason stopped = claim.stopReason();
        if (stopped != null && (ended.failure() != null || noticedStop)) {
            return stoppedOutcome(claim, stopped);
        }
        return ended.failed() ? failureOrOutage(claim, ended.failure()) : rules.outcome(claim, ended);
    }

    /** After a database outage the job runs again after the first wait of its backoff, and the attempt does not count. */
    private Outcome failureOrOutage(OpenClaim claim, Throwable failure) {
        if (!outages.excuse(claim, failure)) {
            return rules.failure(claim, failure);
        }
        Duration delay = claim.retries().delayAfterOutage(ThreadLocalRandom.current());
        return new Outcome.Snoozed(
                claim.ref(),
                delay,
                "the database was away, this attempt does not count: " + ErrorText.of(failure),
                rules.ran(claim));
    }

    /** The outcome of a handler that was told to stop: a job that may run only once cannot go back to pending. */
    Outcome stoppedOutcome(OpenClaim claim, StopReason reason) {
        return switch (reason) {
            case CANCELLED -> new Outcome.Cancelled(claim.ref(), "cancelled while running");
            case TIMED_OUT -> rules.failure(claim, new TimedOut(claim.timeout()));
            case DISCONNECTED, EXECUTOR_STOPPED, DRAINED, LOST ->
                claim.retries().runsOnce()
                        ? new Outcome.Failed(
                                claim.ref(), "stopped while it ran because " + reason + "; it may run only once")
                        : new Outcome.Released(claim.ref(), rules.ran(claim));
        };
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
                    reports.accepted(claim, new Outcome.Completed(claim.ref(), null));
                    completer.roomMade();
                    dependents.ended(List.of(claim.job().id()));
                    if (claim.job().concurrencyGroup() != null) {
                        admit.accept(Set.of(claim.job().concurrencyGroup()));
                    }
                }
            }
            case LOST -> lose(claim);
            case ROLLED_BACK -> {
                StopReason stopped = claim.stopReason();
                end(
                        claim,
                        stopped != null
                                ? stoppedOutcome(claim, stopped)
                                : failureOrOutage(claim, AttemptRules.failureOfRollback(failure)));
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
    @Override
    public void broken(OpenClaim claim, Throwable cause) {
        if (claim.completesItself()) {
            openCompletions.add(claim, cause);
        } else {
            end(claim, rules.failure(claim, cause));
        }
    }

    @Override
    public void notRun(OpenClaim claim, String why) {
        end(claim, rules.putBack(claim, nodeId, why));
    }

    private void release(OpenClaim claim) {
        end(claim, new Outcome.Released(claim.ref()));
    }

    private void lose(OpenClaim claim) {
        if (claim.lose()) {
            log.warn("job={} token={} claim lost", claim.job().id(), claim.ref().token());
        }
        if (!claim.isLost()) {
            // Its outcome is queued.
            reports.closeEarly(claim, claims);
        } else if (claims.remove(claim.ref()) != null) {
            reports.lost(claim);
        }
        completer.roomMade();
    }
}
