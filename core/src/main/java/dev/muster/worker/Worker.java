package dev.muster.worker;

import dev.muster.attempt.ArgsSource;
import dev.muster.cluster.ExecutorInfo;
import dev.muster.config.WorkerConfig;
import dev.muster.job.JobHandler;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobListener;
import dev.muster.job.JobRegistry;
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
import dev.muster.node.NodePart;
import dev.muster.runtime.Clock;
import dev.muster.runtime.ConnectionSource;
import dev.muster.runtime.Health;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.Loop;
import dev.muster.telemetry.Telemetry;
import dev.muster.telemetry.TelemetryListeners;
import dev.muster.wakeup.ClusterCoordinator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node's job engine: claims, runs and completes jobs, and releases what it cannot finish. */
public final class Worker implements NodePart {
    private static final Logger log = LoggerFactory.getLogger(Worker.class);
    private static final int PUMPS = 2;

    private final ClaimScope scope;
    private final WorkerConfig config;
    private final JobRegistry registry;
    private final ClusterCoordinator coordinator;
    private final Runnable onClaim;
    private final ClaimStore store;
    private final ClaimPermission permission;
    private final ClaimTable claims = new ClaimTable();
    private final Completer completer = new Completer();
    private final OutcomeReports reports;
    private final JobRun run;
    private final List<NodeExecutor> executors;
    private final List<Pump> pumps;
    private final List<Loop> loops;
    private final WorkerDrain drain;
    private boolean started;
    private boolean stopped;

    /**
     * @param scope which jobs this node claims, and as which node
     * @param plans the executors among which the names of these jobs are divided; at least one
     * @param connections for handlers
     * @param jobs through which handlers enqueue
     * @param argsSource supplies args that are stored as a reference
     * @param listener told of failures once they are written; must be quick
     * @param telemetry told of everything that happens to claims and handlers
     * @param onClaim called whenever jobs were claimed; must be quick
     */
    public Worker(
            ClaimScope scope,
            List<ExecutorPlan> plans,
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
        this.store = store;
        this.permission = new ClaimPermission(clock);
        JobLogBuffer logs = new JobLogBuffer(store, clock);
        OpenCompletions openCompletions = new OpenCompletions();
        Dependents dependents = new Dependents(dependencies, this::returned);
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
                logs,
                jobs,
                dependents,
                this::admit,
                reports,
                telemetry,
                clock);
        NodeExecutor.Shared shared = new NodeExecutor.Shared(
                config,
                permission,
                new SuspectTurn(),
                completer,
                run,
                claims::characters,
                coordinator::isListening,
                clock);
        List<ClaimSession> sessions =
                store.openClaims(scope, plans.stream().map(ExecutorPlan::names).toList());
        this.executors = IntStream.range(0, plans.size())
                .mapToObj(i -> new NodeExecutor(plans.get(i), sessions.get(i), shared))
                .toList();
        Deadlines deadlines = new Deadlines(config, claims, executors, completer, run, telemetry, clock);
        Leases leases = new Leases(
                store,
                config,
                claims,
                this::running,
                completer,
                openCompletions,
                run::completionKnown,
                logs,
                this::returned,
                dependents,
                reports,
                clock);
        ReadWriteLock known = new ReentrantReadWriteLock();
        ExchangeGate gate = new ExchangeGate(clock);
        this.pumps = IntStream.range(0, PUMPS)
                .mapToObj(i -> new Pump(
                        "pump-" + i,
                        executors,
                        permission,
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
                        gate))
                .toList();
        this.loops = List.of(
                new Loop("deadlines", deadlines::tick),
                new Loop("leases", leases::renewTick),
                new Loop("watch", leases::watchTick),
                new Loop("housekeeping", new HistoryPartitions(store)::tick),
                dependents.loop());
        this.drain = new WorkerDrain(
                scope.node(),
                config,
                store,
                executors,
                claims,
                completer,
                run,
                logs,
                dependents,
                this::returned,
                this::admit,
                this::wakePumps,
                reports,
                clock);
        completer.wakePumps(this::wakePumps);
        for (NodeExecutor executor : executors) {
            executor.session().onFreedPlace(() -> {
                executor.claimer().wake();
                wakePumps();
            });
            executor.session().onSharedProbe(() -> {
                executor.claimer().polledByAnother(executor.session()::untilKnownJobs);
                wakePumps();
            });
            if (telemetry.isEnabled()) {
                executor.session().onProbe((nanos, found) -> telemetry.probed(new Telemetry.Probe(nanos, found)));
            }
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
        executors.forEach(executor -> executor.feeder().start());
        pumps.forEach(Pump::start);
        loops.forEach(Loop::start);
    }

    /** There may be jobs in these lanes; if none are named, in any lane. */
    private void wake(Set<Lane> lanes) {
        executors.forEach(executor -> executor.wake(lanes));
        wakePumps();
    }

    /** There may be jobs in these lanes, and all nodes were notified, so that they take turns. */
    private void wakeInTurn(Set<Lane> lanes) {
        boolean anyTurn = false;
        for (NodeExecutor executor : executors) {
            anyTurn |= executor.wakeInTurn(lanes);
        }
        if (anyTurn) {
            wakePumps();
        }
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
        wake(lanes);
        coordinator.notifyNewWork(lanes);
    }

    /** Jobs have left places in these lines. */
    private void admit(Set<String> lines) {
        Set<Lane> lanes = store.admit(lines);
        if (!lanes.isEmpty()) {
            returned(lanes);
        }
    }

    private void accept(NodeExecutor executor, Exchange exchange, long askedAt) {
        reports.claimed(exchange);
        List<OpenClaim> accepted = new ArrayList<>(exchange.claimed().size());
        for (ClaimedJob job : exchange.claimed()) {
            OpenClaim claim;
            try {
                JobHandler handler = registry.find(job.name()).orElseThrow();
                claim = new OpenClaim(job, handler, executor, askedAt, scope.lease(), config.jobTimeout());
                handler.body().claimed(job.id(), job.claim().token());
            } catch (RuntimeException | Error e) {
                // Somebody wrote this row by hand, or the limits of the retry policy have changed. It must neither
                // affect the other jobs nor take up room.
                executor.held().unreserve(1);
                reports.closing(job);
                completer.add(
                        new Outcome.Failed(job.claim(), "this job cannot be run: " + e.getMessage(), null, null, e));
                continue;
            }
            claims.add(claim);
            accepted.add(claim);
        }
        if (!permission.covers(askedAt)) {
            accepted.forEach(this::release);
        } else if (!accepted.isEmpty()) {
            onClaim.run();
            executor.buffer().addAll(accepted);
            if (!permission.covers(askedAt)) {
                executor.buffer().removeAll().forEach(this::release);
            }
        }
        if (!exchange.pausedQueues().isEmpty()) {
            releasePaused(exchange.pausedQueues());
        }
    }

    /** Releases jobs that were claimed before their queue was paused and have not started. */
    private void releasePaused(Set<String> queues) {
        for (OpenClaim claim : claims.all()) {
            if (queues.contains(claim.job().lane().queue()) && claim.endUnstarted()) {
                claim.executor().buffer().remove(claim);
                completer.add(new Outcome.Released(claim.ref()));
            }
        }
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
        permission.suspend();
        int lost = 0;
        for (OpenClaim claim : claims.all()) {
            boolean unstarted = claim.endUnstarted();
            if (unstarted || (!claim.completesItself() && claim.lose())) {
                claim.executor().buffer().remove(claim);
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
        permission.resume();
        executors.forEach(executor -> executor.claimer().wake());
        wakePumps();
    }

    /** There may be jobs in these lanes: wakes this node and notifies the others. */
    public void newWork(Set<Lane> lanes) {
        returned(lanes);
    }

    /** What the executors run now. */
    public List<ExecutorInfo> executors() {
        return executors.stream().map(NodeExecutor::info).toList();
    }

    /** How many handlers run now. */
    public int runningJobs() {
        return running().size();
    }

    /** The claims whose handler is on a thread now, including claims that have ended. */
    private List<OpenClaim> running() {
        return executors.stream()
                .flatMap(executor -> executor.running().stream())
                .toList();
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
        permission.drain();
        int running = runningJobs();
        boolean clean = drain.run();
        loops.forEach(Loop::stop);
        pumps.forEach(Pump::stop);
        log.info(
                "worker drained running_at_stop={} left_behind={}",
                running,
                clean ? 0 : claims.all().size());
    }

    /** Why this node runs no jobs although its database answers: handlers ignore interruption, or its pumps fail. */
    @Override
    public Optional<String> whyNotReady() {
        return stuck().or(this::failing);
    }

    private Optional<String> stuck() {
        return executors.stream()
                .map(executor -> executor.claimer().stuck())
                .flatMap(Optional::stream)
                .findFirst();
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
        Optional<String> stuck = stuck();
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
