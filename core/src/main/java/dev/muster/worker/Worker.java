package dev.muster.worker;

import dev.muster.attempt.ArgsSource;
import dev.muster.config.WorkerConfig;
import dev.muster.job.JobHandler;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobListener;
import dev.muster.job.JobRegistry;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import dev.muster.job.Lane;
import dev.muster.job.payload.Payloads;
import dev.muster.job.store.ClaimScope;
import dev.muster.job.store.ClaimSession;
import dev.muster.job.store.ClaimSession.Exchange;
import dev.muster.job.store.ClaimStore;
import dev.muster.job.store.ClaimedJob;
import dev.muster.job.store.DependencyStore;
import dev.muster.job.store.Outcome;
import dev.muster.job.store.RecoveryStore.Recovered;
import dev.muster.node.NodePart;
import dev.muster.runtime.Clock;
import dev.muster.runtime.ConnectionSource;
import dev.muster.runtime.Health;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.Loop;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.ProcessExit;
import dev.muster.telemetry.Telemetry;
import dev.muster.telemetry.TelemetryListeners;
import dev.muster.wakeup.ClusterCoordinator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node's job engine: claims, runs and completes jobs, and releases what it cannot finish. */
public final class Worker implements NodePart {
    private static final Logger log = LoggerFactory.getLogger(Worker.class);
    private static final int PUMPS = 2;
    private static final Duration TIME_FOR_LAST_OUTCOMES = Duration.ofSeconds(2);

    private final ClaimScope scope;
    private final WorkerConfig config;
    private final JobRegistry registry;
    private final ClusterCoordinator coordinator;
    private final Runnable onClaim;
    private final Clock clock;
    private final ClaimStore store;
    private final Dependents dependents;
    private final ClaimSession session;
    private final LocalBuffer buffer = new LocalBuffer();
    private final ClaimTable claims = new ClaimTable(buffer::closed);
    private final Completer completer = new Completer();
    private final JobThroughput throughput = new JobThroughput();
    private final OpenCompletions openCompletions = new OpenCompletions();
    private final JobLogBuffer logs;
    private final OutcomeReports reports;
    private final JobRun run;
    private final JobThreads threads;
    private final Claimer claimer;
    private final List<Pump> pumps = new ArrayList<>();
    private final List<Loop> loops;
    private volatile long workingSince;
    private boolean started;
    private boolean stopped;

    /**
     * @param scope which jobs this node claims, and as which node
     * @param connections for handlers
     * @param jobs through which handlers enqueue
     * @param argsSource supplies args that are stored as a reference
     * @param listener told of failures once they are written; must be quick
     * @param telemetry told of everything that happens to claims and handlers
     * @param onClaim called whenever jobs were claimed; must be quick
     */
    public Worker(
            ClaimScope scope,
            WorkerConfig config,
            ClaimStore store,
            ConnectionSource connections,
            DependencyStore dependencies,
            JobRegistry registry,
            List<JobInterceptor> interceptors,
            Jobs jobs,
            JsonCodec json,
            Payloads payloads,
            ArgsSource argsSource,
            ClusterCoordinator coordinator,
            JobListener listener,
            TelemetryListeners telemetry,
            Runnable onClaim,
            Clock clock) {
        this.scope = scope;
        this.config = config;
        this.registry = registry;
        this.coordinator = coordinator;
        this.onClaim = onClaim;
        this.clock = clock;
        this.workingSince = clock.nanos();
        this.session = store.openClaims(scope);
        this.logs = new JobLogBuffer(store, clock);
        this.store = store;
        this.dependents = new Dependents(dependencies, this::returned);
        this.reports = new OutcomeReports(scope.node(), listener, telemetry);
        this.run = new JobRun(
                scope.node(),
                store,
                connections,
                json,
                payloads,
                argsSource,
                interceptors,
                completer,
                openCompletions,
                claims,
                throughput,
                logs,
                jobs,
                dependents,
                this::admit,
                reports,
                telemetry,
                clock);
        this.threads = new JobThreads(
                config.concurrency(), buffer, run::run, run::broken, completer::roomMade, completer::isFull);
        this.claimer = new Claimer(
                config, claims, buffer, throughput, threads::stuck, session::peers, coordinator::isListening, clock);
        Deadlines deadlines =
                new Deadlines(config, claims, buffer, threads, completer, run, throughput, telemetry, clock);
        Leases leases = new Leases(
                store,
                config,
                claims,
                buffer,
                threads,
                completer,
                openCompletions,
                run::completionKnown,
                logs,
                this::returned,
                reports,
                clock);
        ReadWriteLock known = new ReentrantReadWriteLock();
        ExchangeGate gate = new ExchangeGate(clock);
        for (int i = 0; i < PUMPS; i++) {
            pumps.add(new Pump(
                    "pump-" + i,
                    session,
                    claimer,
                    completer,
                    claims,
                    this::accept,
                    this::returned,
                    this::returnedLater,
                    dependents,
                    this::admit,
                    reports,
                    telemetry,
                    clock,
                    known,
                    gate));
        }
        this.loops = List.of(
                new Loop("deadlines", deadlines::tick),
                new Loop("leases", leases::renewTick),
                new Loop("watch", leases::watchTick),
                new Loop("housekeeping", new HistoryPartitions(store)::tick),
                dependents.loop());
        completer.wakePumps(this::wakePumps);
        session.onFreedPlace(() -> {
            claimer.wake();
            wakePumps();
        });
        if (telemetry.isEnabled()) {
            session.onProbe((nanos, found) -> telemetry.probed(new Telemetry.Probe(nanos, found)));
        }
    }

    @Override
    public String name() {
        return "worker";
    }

    @Override
    public Phase phase() {
        return Phase.WORK;
    }

    @Override
    public synchronized void start() {
        started = true;
        coordinator.registerWakeupListener(this::wakeInTurn);
        threads.start();
        pumps.forEach(Pump::start);
        loops.forEach(Loop::start);
    }

    /** There may be jobs in these lanes; if none are named, in any lane. */
    private void wake(Set<Lane> lanes) {
        session.wake(lanes);
        claimer.wake();
        wakePumps();
    }

    /** There may be jobs in these lanes, and all nodes were notified, so that they take turns. */
    private void wakeInTurn(Set<Lane> lanes) {
        session.wakeInTurn(lanes).ifPresent(pause -> {
            if (pause.isZero()) {
                claimer.wake();
            } else {
                claimer.wakeWithin(pause);
            }
            wakePumps();
        });
    }

    private void returnedLater(Map<Lane, Duration> lanes) {
        lanes.forEach(coordinator::notifyNewWorkLater);
    }

    private void wakePumps() {
        for (Pump pump : pumps) {
            pump.wake();
        }
    }

    private void returned(Set<Lane> lanes) {
        coordinator.notifyNewWork(lanes);
        wake(lanes);
    }

    /** Jobs have left places in these lines. */
    private void admit(Set<String> lines) {
        Set<Lane> lanes = store.admit(lines);
        if (!lanes.isEmpty()) {
            returned(lanes);
        }
    }

    private void accept(Exchange exchange, long askedAt) {
        reports.claimed(exchange);
        List<OpenClaim> accepted = new ArrayList<>(exchange.claimed().size());
        for (ClaimedJob job : exchange.claimed()) {
            OpenClaim claim;
            try {
                JobHandler handler = registry.find(job.name()).orElseThrow();
                claim = new OpenClaim(job, handler, askedAt, scope.lease(), config.jobTimeout());
                handler.body().claimed(job.id(), job.claim().token());
            } catch (RuntimeException | Error e) {
                // Somebody wrote this row by hand, or the limits of the retry policy have changed. It must neither
                // affect the other jobs nor take up room.
                claims.unreserve(1);
                reports.closing(job);
                completer.add(
                        new Outcome.Failed(job.claim(), "this job cannot be run: " + e.getMessage(), null, null, e));
                continue;
            }
            claims.add(claim);
            accepted.add(claim);
        }
        if (unwanted(askedAt)) {
            accepted.forEach(this::release);
        } else if (!accepted.isEmpty()) {
            onClaim.run();
            buffer.addAll(accepted);
            if (unwanted(askedAt)) {
                releaseBuffered();
            }
        }
        if (!exchange.pausedQueues().isEmpty()) {
            releasePaused(exchange.pausedQueues());
        }
    }

    /** Jobs that were requested before this node was suspended are released, even if it may work again by now. */
    private boolean unwanted(long askedAt) {
        return claimer.draining() || claimer.suspended() || askedAt - workingSince < 0;
    }

    /** Releases jobs that were claimed before their queue was paused and have not started. */
    private void releasePaused(Set<String> queues) {
        for (OpenClaim claim : claims.all()) {
            if (queues.contains(claim.job().lane().queue()) && claim.endUnstarted()) {
                buffer.remove(claim);
                completer.add(new Outcome.Released(claim.ref()));
            }
        }
    }

    private void releaseBuffered() {
        buffer.removeAll().forEach(this::release);
    }

    private void release(OpenClaim claim) {
        if (claim.endUnstarted()) {
            completer.add(new Outcome.Released(claim.ref()));
        }
    }

    @Override
    public boolean holdsWork() {
        return !claims.all().isEmpty();
    }

    /**
     * This node has lost all its claims: it interrupts its handlers and claims nothing more. Jobs that it claimed after it was
     * declared dead, but before it knew, are released, or end if they were started and may run only once; for all others the
     * token guard rejects both writes.
     */
    @Override
    public void suspend() {
        claimer.suspend();
        int lost = 0;
        for (OpenClaim claim : claims.all()) {
            boolean unstarted = claim.endUnstarted();
            if (unstarted || (!claim.completesItself() && claim.lose())) {
                buffer.remove(claim);
                Outcome outcome =
                        unstarted ? new Outcome.Released(claim.ref()) : run.stoppedOutcome(claim, StopReason.LOST);
                if (claims.remove(claim.ref()) != null) {
                    reports.closing(claim, outcome);
                }
                completer.add(outcome);
                lost++;
            }
        }
        if (lost > 0) {
            completer.roomMade();
            log.warn("node={} lost all of its {} claims; their handlers are interrupted", scope.node(), lost);
        }
    }

    /** Claims again after {@link #suspend()}. */
    @Override
    public void resume() {
        workingSince = clock.nanos();
        claimer.resume();
        wakePumps();
    }

    /** There may be jobs in these lanes: wakes this node and notifies the others. */
    public void newWork(Set<Lane> lanes) {
        returned(lanes);
    }

    /** How many handlers run now. */
    public int runningJobs() {
        return threads.current().size();
    }

    /**
     * Stops gracefully: claims no more, releases jobs that have not started, waits for running jobs, interrupts and releases the
     * rest, and writes the last outcomes. Takes at most {@code worker.drain_timeout}, or two seconds if that is shorter and the
     * last outcomes cannot be written at once. Claims that are left then are released when this node's row is removed.
     */
    @Override
    public void stop() {
        synchronized (this) {
            if (!started || stopped) {
                return;
            }
            stopped = true;
        }
        long deadline = System.nanoTime() + config.drainTimeout().toNanos();
        long forLastOutcomes =
                Math.min(TIME_FOR_LAST_OUTCOMES.toNanos(), config.drainTimeout().toNanos() / 2);
        claimer.drain();
        buffer.close();
        releaseBuffered();
        int running = threads.current().size();
        chargeCrashToJobThatCalledExit();
        if (!threads.awaitIdle(deadline - forLastOutcomes - System.nanoTime())) {
            interruptRunning(forLastOutcomes / 2);
        }
        boolean clean = flush(Math.max(deadline, System.nanoTime() + TIME_FOR_LAST_OUTCOMES.toNanos()));
        flushLogs();
        loops.forEach(Loop::stop);
        pumps.forEach(Pump::stop);
        log.info("worker drained running_at_stop={} left_behind={}", running, clean ? 0 : claims.count());
    }

    /**
     * A handler that calls System.exit would end one node after the other. So its job is charged a crash and becomes a suspect,
     * as if it had killed this node. The other jobs of this node are released, as after a signal.
     */
    private void chargeCrashToJobThatCalledExit() {
        OpenClaim claim = ProcessExit.caller().map(threads::claimOn).orElse(null);
        if (claim == null || claim.completesItself() || !claim.end()) {
            return;
        }
        boolean held = claims.remove(claim.ref()) != null;
        log.error(
                "job={} name={} called System.exit and ends this node; it is charged a crash",
                claim.job().id(),
                claim.job().name());
        try {
            long elapsed = TimeUnit.NANOSECONDS.toMillis(clock.nanos() - claim.startedAt());
            List<Recovered> charged = store.crashed(List.of(claim.asStart(elapsed)));
            returned(charged.stream()
                    .filter(job -> job.status() == JobStatus.PENDING)
                    .map(Recovered::lane)
                    .collect(Collectors.toSet()));
            dependents.ended(charged.stream()
                    .filter(job -> job.status().isTerminal())
                    .map(Recovered::id)
                    .toList());
            if (claim.job().line() != null) {
                admit(Set.of(claim.job().line()));
            }
            reports.charged(charged);
            if (held && charged.isEmpty()) {
                reports.lost(claim);
            }
        } catch (MusterException e) {
            log.warn("job={} the crash could not be written: {}", claim.job().id(), e.getMessage());
        }
    }

    private void interruptRunning(long nanos) {
        long now = clock.nanos();
        threads.current().forEach(claim -> claim.stop(StopReason.DRAINED, now));
        if (!threads.awaitIdle(nanos)) {
            for (OpenClaim claim : threads.current()) {
                if (!claim.completesItself() && claim.end()) {
                    completer.add(claim.withLastProgress(run.stoppedOutcome(claim, StopReason.DRAINED)));
                }
            }
        }
    }

    private void flushLogs() {
        try {
            logs.flush();
        } catch (MusterException e) {
            log.warn("the last log lines of jobs could not be written: {}", e.getMessage());
        }
    }

    /** Waits until every outcome is written. Claims without one are released when this node's row is removed. */
    private boolean flush(long deadline) {
        while (claims.count() > 0 || !completer.isEmpty()) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            wakePumps();
            try {
                TimeUnit.MILLISECONDS.sleep(2);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }

    /** Why this node runs no jobs although its database answers: handlers ignore interruption, or its pumps fail. */
    @Override
    public Optional<String> whyNotReady() {
        return claimer.stuck().or(this::failing);
    }

    /** Jobs could not be claimed and completed at any time within the last lease. */
    @Override
    public Duration unfitToLeadFor() {
        return failingFor().orElse(Duration.ZERO);
    }

    private Optional<Duration> failingFor() {
        return pumps.stream()
                .map(Pump::failingFor)
                .filter(time -> time.compareTo(config.lease()) > 0)
                .findFirst();
    }

    private Optional<String> failing() {
        return failingFor().map(time -> "jobs can neither be claimed nor completed since " + time.toSeconds() + " s");
    }

    @Override
    public Health health() {
        Optional<String> stuck = claimer.stuck();
        if (stuck.isPresent()) {
            return Health.failing(stuck.get());
        }
        List<Health> parts = new ArrayList<>();
        pumps.forEach(pump -> parts.add(pump.health()));
        loops.forEach(loop -> parts.add(loop.health()));
        Health first = parts.stream().filter(part -> !part.ok()).findFirst().orElse(Health.OK);
        return failing()
                .map(reason -> Health.failing(reason + ": " + first.detail()))
                .orElse(first);
    }
}
