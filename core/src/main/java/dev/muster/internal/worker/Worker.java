package dev.muster.internal.worker;

import dev.muster.cluster.ClusterCoordinator;
import dev.muster.cluster.ExecutorInfo;
import dev.muster.config.WorkerConfig;
import dev.muster.internal.attempt.AttemptRules;
import dev.muster.internal.job.JobRegistry;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimSession.Exchange;
import dev.muster.internal.job.store.ClaimStore;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.DependencyStore;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.node.NodePart;
import dev.muster.internal.runtime.Loop;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.job.JobHandler;
import dev.muster.job.JobListener;
import dev.muster.job.Lane;
import dev.muster.runtime.Clock;
import dev.muster.runtime.Health;
import dev.muster.telemetry.Telemetry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node's job engine: claims, runs and completes jobs, and releases what it cannot finish. */
public final class Worker implements NodePart {
    private static final Logger log = LoggerFactory.getLogger(Worker.class);
    private static final int PUMPS = 2;
    private static final Duration PREPARE_HISTORY_EVERY = Duration.ofMinutes(10);

    private final ClaimFilter filter;
    private final WorkerConfig config;
    private final JobRegistry registry;
    private final ClusterCoordinator coordinator;
    private final Runnable onClaim;
    private final ClaimStore store;
    private final ClaimingState claimingState;
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
     * Which jobs a node runs, and on what.
     *
     * @param filter which jobs it claims, and as which node
     * @param executors among which the names of these jobs are divided; at least one
     * @param registry the handlers
     */
    public record Plan(ClaimFilter filter, List<ExecutorPlan> executors, JobRegistry registry) {}

    /** The ports of the store that a worker uses. */
    public record Stores(ClaimStore claims, DependencyStore dependencies) {}

    /**
     * Who is told of what a worker does.
     *
     * @param failures told of failures once they are written; must be quick
     * @param telemetry told of everything that happens to claims and handlers
     * @param onClaim called whenever jobs were claimed; must be quick
     */
    public record Listeners(JobListener failures, TelemetryListeners telemetry, Runnable onClaim) {}

    public Worker(
            Plan plan,
            WorkerConfig config,
            Stores stores,
            HandlerAccess access,
            AttemptRules rules,
            ClusterCoordinator coordinator,
            Listeners listeners,
            Clock clock) {
        this.filter = plan.filter();
        this.config = config;
        this.registry = plan.registry();
        this.coordinator = coordinator;
        this.onClaim = listeners.onClaim();
        this.store = stores.claims();
        this.claimingState = new ClaimingState(clock);
        TelemetryListeners telemetry = listeners.telemetry();
        this.reports = new OutcomeReports(filter.node(), listeners.failures(), telemetry);
        Dependents dependents = new Dependents(stores.dependencies(), this::returned);
        OpenWork work = new OpenWork(claims, completer, new OpenCompletions(), new JobLogBuffer(store, clock));
        FollowUps after = new FollowUps(reports, dependents, this::returned, this::returnedLater, this::admit);
        this.run = new JobRun(access, store, rules, work, after, telemetry, clock);
        NodeExecutor.Shared shared = new NodeExecutor.Shared(
                config,
                claimingState,
                new SuspectTurn(),
                completer,
                run,
                claims::characters,
                coordinator::isListening,
                clock);
        List<ExecutorPlan> plans = plan.executors();
        List<ClaimSession> sessions =
                store.openClaims(filter, plans.stream().map(ExecutorPlan::names).toList());
        this.executors = IntStream.range(0, plans.size())
                .mapToObj(i -> new NodeExecutor(plans.get(i), sessions.get(i), shared))
                .toList();
        LeaseAndTimeoutWatch deadlines =
                new LeaseAndTimeoutWatch(config, claims, executors, completer, run, telemetry, clock);
        LeaseRenewal leases = new LeaseRenewal(store, config, work, this::running, run::completionKnown, after, clock);
        Pump.Shared pumping = new Pump.Shared(
                executors, claimingState, this::accept, new ReentrantReadWriteLock(), new ExchangeGate(clock));
        this.pumps = IntStream.range(0, PUMPS)
                .mapToObj(i -> new Pump("pump-" + i, pumping, work, after, telemetry, clock))
                .toList();
        this.loops = List.of(
                new Loop("deadlines", deadlines::tick),
                new Loop("leases", leases::renewTick),
                new Loop("watch", leases::watchTick),
                new Loop("housekeeping", this::prepareHistory),
                dependents.loop());
        this.drain = new WorkerDrain(filter.node(), config, store, executors, work, run, after, clock);
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

    /** Creates the history partitions of the coming days. Every worker does it, not only a leader: jobs could not end without them. */
    private Duration prepareHistory() {
        store.prepareHistory();
        return PREPARE_HISTORY_EVERY;
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

    /** Jobs have left places in these groups. */
    private void admit(Set<String> groups) {
        Set<Lane> lanes = store.admit(groups);
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
                claim = new OpenClaim(job, handler, executor, askedAt, filter.lease(), config.jobTimeout());
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
        if (!claimingState.covers(askedAt)) {
            accepted.forEach(this::release);
        } else if (!accepted.isEmpty()) {
            onClaim.run();
            executor.buffer().addAll(accepted);
            if (!claimingState.covers(askedAt)) {
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
        claimingState.suspend();
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
            log.warn("node={} lost all of its {} claims; their handlers are interrupted", filter.node(), lost);
        }
    }

    /** Claims again after {@link #suspend()}. */
    @Override
    public void resume() {
        claimingState.resume();
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
        claimingState.drain();
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
