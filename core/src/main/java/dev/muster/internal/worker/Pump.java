package dev.muster.internal.worker;

import dev.muster.internal.job.store.AdmissionStore;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimSession.Exchange;
import dev.muster.internal.job.store.ClaimSession.Want;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.internal.runtime.Durations;
import dev.muster.internal.runtime.Loop;
import dev.muster.internal.runtime.Service;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.internal.worker.ExchangeGate.Pass;
import dev.muster.internal.worker.OutcomeReports.Attempt;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import dev.muster.runtime.Clock;
import dev.muster.runtime.Health;
import dev.muster.telemetry.Telemetry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exchanges outcomes for jobs with the database, again and again: each exchange writes outcomes and claims jobs. A node has two
 * pumps, so that one works while the other waits for a commit.
 */
final class Pump implements Service {
    private static final Logger log = LoggerFactory.getLogger(Pump.class);
    private static final int MAX_OUTCOMES = 1_000;

    /** How long, and until how many have come, a pump of a busy node waits for more outcomes that are cheaper to write together. */
    private static final Duration WAIT_FOR_MORE = Duration.ofMillis(5);

    private static final int ENOUGH_OUTCOMES = 32;

    /** How long it waits if no outcome could be written, because somebody has locked the rows that they change. */
    private static final Duration UNTIL_DEFERRED = Duration.ofMillis(50);

    /**
     * How often an idle pump checks, without a statement, whether it can claim. Some room arises without a wake-up: jobs get
     * shorter, or a thread takes the last waiting job.
     */
    private static final Duration IDLE = Duration.ofSeconds(1);

    private static final Duration IDLE_FOR_EVER = Duration.ofDays(1);

    /** Receives the claimed jobs. */
    @FunctionalInterface
    interface Intake {
        void accept(NodeExecutor executor, Exchange exchange, long askedAt);
    }

    private final List<NodeExecutor> executors;
    private final ClaimingState claimingState;
    private final Completer completer;
    private final ClaimTable claims;
    private final Intake intake;
    private final Consumer<Set<Lane>> returned;
    private final Consumer<Map<Lane, Duration>> returnedLater;
    private final Dependents dependents;
    private final Consumer<Set<String>> admit;
    private final OutcomeReports reports;
    private final TelemetryListeners telemetry;
    private final Clock clock;
    private final ReadWriteLock known;
    private final ExchangeGate gate;
    private final Loop loop;
    private long answersWhenItFailed;

    /** The executor that this pump has claimed for last. */
    private int turn;

    /**
     * What the pumps of a node share.
     *
     * @param intake receives the claimed jobs
     * @param known the lock that pumps hold from before an exchange until its claims are in the table
     */
    record Shared(
            List<NodeExecutor> executors,
            ClaimingState claimingState,
            Intake intake,
            ReadWriteLock known,
            ExchangeGate gate) {}

    Pump(String name, Shared node, OpenWork work, FollowUps after, TelemetryListeners telemetry, Clock clock) {
        this.executors = node.executors();
        this.claimingState = node.claimingState();
        this.completer = work.completer();
        this.claims = work.claims();
        this.intake = node.intake();
        this.returned = after.returned();
        this.returnedLater = after.returnedLater();
        this.dependents = after.dependents();
        this.admit = after.admit();
        this.reports = after.reports();
        this.telemetry = telemetry;
        this.clock = clock;
        this.known = node.known();
        this.gate = node.gate();
        this.loop = new Loop(name, this::stepOrNote, () -> answers() != answersWhenItFailed);
    }

    private Duration stepOrNote() {
        try {
            return step();
        } catch (RuntimeException | Error e) {
            answersWhenItFailed = answers();
            throw e;
        }
    }

    private long answers() {
        long sum = 0;
        for (NodeExecutor executor : executors) {
            sum += executor.session().answers();
        }
        return sum;
    }

    private Duration step() {
        awaitMoreOutcomes();
        for (NodeExecutor executor : executors) {
            if (executor.session().inDoubt()) {
                releaseUnknown(executor.session());
            }
        }
        RuntimeException failure = probeBacklog();
        NodeExecutor executor = nextExecutor();
        Pass pass = gate.begin(executor.session().contended());
        if (pass == null) {
            if (failure != null) {
                throw failure;
            }
            // An interrupted thread cannot wait for the pass.
            return Thread.currentThread().isInterrupted() ? IDLE : Duration.ZERO;
        }
        known.readLock().lock();
        try {
            Duration pause = exchange(executor);
            if (failure != null) {
                throw failure;
            }
            return pause;
        } finally {
            known.readLock().unlock();
            gate.end(pass);
        }
    }

    /** Nobody who waits for one outcome on a quiet node is delayed by this, nor, on a node with one executor, a thread that waits for a job. */
    private void awaitMoreOutcomes() {
        if (completer.benefitsFromChunking() && completer.count() < ENOUGH_OUTCOMES && anyHasSupply()) {
            try {
                TimeUnit.NANOSECONDS.sleep(WAIT_FOR_MORE.toNanos());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean anyHasSupply() {
        for (NodeExecutor executor : executors) {
            if (executor.claimer().hasSupply()) {
                return true;
            }
        }
        return false;
    }

    /** Delays neither the other pump nor outcomes: it reserves and claims nothing, and returns a failure to be thrown later. */
    private @Nullable RuntimeException probeBacklog() {
        try {
            for (NodeExecutor executor : executors) {
                if (executor.claimer().due(finishingSoon(executor))
                        && executor.session().probeBacklog()) {
                    executor.claimer().wake();
                }
            }
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    /** Executors that want jobs take turns. If none does, any of them can write the outcomes. */
    private NodeExecutor nextExecutor() {
        int count = executors.size();
        for (int i = 0; i < count && count > 1; i++) {
            turn = (turn + 1) % count;
            NodeExecutor next = executors.get(turn);
            if (next.claimer().due(finishingSoon(next))) {
                break;
            }
        }
        return executors.get(turn);
    }

    /** How many claims of this executor the next exchange closes, or a few more: outcomes of others make no room in it. */
    private int finishingSoon(NodeExecutor executor) {
        int waiting = completer.count();
        return executors.size() == 1 ? waiting : Math.min(waiting, executor.ended());
    }

    /** Runs while no exchange is under way, when all claims that this node knows are in the table. */
    private void releaseUnknown(ClaimSession session) {
        known.writeLock().lock();
        try {
            if (session.inDoubt()) {
                List<Recovered> released = session.releaseUnknown(
                        claims.all().stream().map(OpenClaim::ref).toList());
                telemetry.recovered(released);
                dependents.endedElsewhere(released.stream()
                        .filter(job -> job.status() != JobStatus.PENDING)
                        .map(Recovered::id)
                        .toList());
                Set<Lane> lanes = released.stream()
                        .filter(job -> job.status() == JobStatus.PENDING)
                        .map(Recovered::lane)
                        .collect(Collectors.toSet());
                if (!lanes.isEmpty()) {
                    log.info("released jobs whose claim was never acknowledged lanes={}", lanes);
                    returned.accept(lanes);
                }
            }
        } finally {
            known.writeLock().unlock();
        }
    }

    private Duration exchange(NodeExecutor executor) {
        ClaimSession session = executor.session();
        Claimer claimer = executor.claimer();
        List<Outcome> outcomes = completer.take(MAX_OUTCOMES);
        int finishing = finishing(executor, outcomes);
        int freed = session.freedPlaces(outcomes);
        if (freed > 0) {
            claimer.wake();
        }
        int wakes = claimer.wakes();
        int want = claimer.reserve(finishing);
        boolean onlyFreed = want == 0 && freed > 0;
        if (onlyFreed) {
            want = claimer.reserveFreed(freed, finishing);
        }
        if (outcomes.isEmpty() && want == 0) {
            return claimingState.mayClaim() ? untilNextPoll(executor) : IDLE;
        }
        long askedAt = clock.nanos();
        long answersBefore = telemetry.isEnabled() ? session.answers() : 0;
        Exchange exchange;
        try {
            int free = claimer.free(want, finishing);
            exchange = session.exchange(
                    outcomes,
                    new Want(
                            want,
                            free,
                            claimer.soon(want, free),
                            onlyFreed,
                            claimer.wantsSuspects(),
                            claimer.maxContent(want)));
        } catch (RuntimeException | Error e) {
            executor.held().unreserve(want);
            completer.putBack(outcomes);
            throw e;
        }
        executor.held().unreserve(want - exchange.claimed().size());
        long took = telemetry.isEnabled() && session.answers() != answersBefore ? clock.nanos() - askedAt : 0;
        List<Written> failures = new ArrayList<>(0);
        Set<String> groups = new HashSet<>(0);
        List<Outcome> written = close(outcomes, exchange, failures, groups);
        if (took > 0) {
            telemetry.exchanged(new Telemetry.Exchange(
                    took,
                    exchange.claimed().size(),
                    written.size(),
                    outcomes.size() - written.size() - exchange.deferred().size()));
        }
        intake.accept(executor, exchange, askedAt);
        if (want > 0 && !onlyFreed) {
            claimer.answered(exchange, wakes);
        }
        if (!groups.isEmpty()) {
            admit.accept(groups);
        }
        dependents.written(written);
        for (Written failure : failures) {
            reports.failed(failure.attempt, failure.outcome);
        }
        // Wake-ups come last: they are sent by code that may be the application's own.
        if (!exchange.returned().isEmpty()) {
            returned.accept(exchange.returned());
        }
        if (!exchange.returnedLater().isEmpty()) {
            returnedLater.accept(exchange.returnedLater());
        }
        boolean onlyDeferred = !outcomes.isEmpty() && exchange.deferred().size() == outcomes.size();
        return onlyDeferred && exchange.claimed().isEmpty() ? UNTIL_DEFERRED : Duration.ZERO;
    }

    /** An outcome that was written, and the attempt that it closed. */
    private record Written(Outcome outcome, Attempt attempt) {}

    /** How many claims of this executor these outcomes close. */
    private int finishing(NodeExecutor executor, List<Outcome> outcomes) {
        if (executors.size() == 1) {
            return outcomes.size();
        }
        int finishing = 0;
        for (Outcome outcome : outcomes) {
            OpenClaim claim = claims.get(outcome.claim());
            if (claim != null && claim.executor() == executor) {
                finishing++;
            }
        }
        return finishing;
    }

    /** The time until an executor polls; this one has just found nothing to do. */
    private Duration untilNextPoll(NodeExecutor idle) {
        Duration next = IDLE_FOR_EVER;
        for (NodeExecutor executor : executors) {
            if (executor != idle && executor.claimer().due(0)) {
                return Duration.ZERO;
            }
            Duration until = executor.claimer().untilNextPoll();
            // If a poll is due and there is nothing to do, there is no room for jobs: the pump is woken when there is.
            next = Durations.shorter(next, until.isZero() ? IDLE : until);
        }
        return next;
    }

    /**
     * Closes the claims. Returns what was stored for them, adds failures for the job listener to {@code failures}, and to {@code groups} the
     * groups in which there may be free places now.
     */
    private List<Outcome> close(List<Outcome> outcomes, Exchange exchange, List<Written> failures, Set<String> groups) {
        List<Outcome> written = new ArrayList<>(outcomes.size());
        completer.putBack(exchange.deferred());
        Set<ClaimRef> deferred = new HashSet<>();
        exchange.deferred().forEach(outcome -> deferred.add(outcome.claim()));
        for (Outcome outcome : outcomes) {
            if (deferred.contains(outcome.claim())) {
                continue;
            }
            boolean releasedOtherwise = !completer.removeReleased(outcome);
            OpenClaim claim = claims.remove(outcome.claim());
            if (!exchange.rejected().contains(outcome.claim())) {
                Outcome stored = exchange.stored(outcome);
                written.add(stored);
                Attempt attempt = reports.closed(outcome, stored, claim);
                addGroups(stored, claim != null ? claim.job() : attempt != null ? attempt.job() : null, groups);
                if (attempt != null) {
                    reports.accepted(attempt, stored);
                    failures.add(new Written(stored instanceof Outcome.Failed ? stored : outcome, attempt));
                }
                continue;
            }
            Attempt attempt = reports.closed(outcome, outcome, claim);
            if (attempt != null) {
                reports.refused(attempt);
            }
            if (!releasedOtherwise) {
                log.warn(
                        "job={} token={} outcome rejected: the claim had been lost",
                        outcome.claim().id(),
                        outcome.claim().token());
            }
        }
        return written;
    }

    /**
     * A job that goes back without a delay keeps its place, and so does one that came too early. What was stored counts: a job that should
     * have gone back may have ended as cancelled.
     */
    private static void addGroups(Outcome stored, @Nullable ClaimedJob job, Set<String> groups) {
        boolean keepsPlace = stored instanceof Outcome.Released || stored instanceof AdmissionStore.TooEarly;
        if (job != null && job.concurrencyGroup() != null && !keepsPlace) {
            groups.add(job.concurrencyGroup());
        }
        if (stored instanceof AdmissionStore.PutInGroup grouped) {
            groups.add(grouped.group());
        }
    }

    void wake() {
        loop.wake();
    }

    @Override
    public String name() {
        return loop.name();
    }

    @Override
    public void start() {
        loop.start();
    }

    @Override
    public void stop() {
        loop.stop();
    }

    @Override
    public Health health() {
        return loop.health();
    }

    /** For how long exchanges have been failing; zero if they work. */
    Duration failingFor() {
        return loop.failingFor();
    }
}
