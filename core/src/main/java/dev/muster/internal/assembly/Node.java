package dev.muster.internal.assembly;

import com.sun.management.OperatingSystemMXBean;
import dev.muster.Gateway;
import dev.muster.Muster;
import dev.muster.NodeState;
import dev.muster.cluster.NodeLoad;
import dev.muster.cluster.NodeStatus;
import dev.muster.config.NodeConfig.Mode;
import dev.muster.config.WorkerConfig.Wakeup;
import dev.muster.health.Probes;
import dev.muster.health.Readiness;
import dev.muster.internal.cluster.DatabaseContact;
import dev.muster.internal.cluster.DatabasePolls;
import dev.muster.internal.cluster.NodeRegistration;
import dev.muster.internal.cluster.NodeStore.Registration;
import dev.muster.internal.cluster.NodeStore.SilenceLimits;
import dev.muster.internal.function.FunctionSubsystem;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.internal.node.Membership;
import dev.muster.internal.node.Subsystem;
import dev.muster.internal.overview.OverviewStore;
import dev.muster.internal.provider.CallPort;
import dev.muster.internal.provider.Store;
import dev.muster.internal.recovery.DeadNodeRecovery.Judging;
import dev.muster.internal.runtime.LogContext;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.Leadership;
import dev.muster.runtime.Health;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.WaitInterrupted;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life cycle of a node: it starts its parts, handles commands that others write into its row, reports its health, and stops
 * its parts in an order that lets other nodes take over. A node goes through it once:
 *
 * <pre>
 *   built ── start ──▶ started ── drained ──▶ left ── close ──▶ closed
 *                         └─────── close, which drains ───────▲
 * </pre>
 *
 * If the start fails, the node is closed.
 */
public final class Node implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Node.class);

    /** How much longer than {@code worker.drain_timeout} stopping may take. */
    private static final Duration STOP_MARGIN = Duration.ofSeconds(5);

    /** The same while the database does not answer: waiting longer would not help. */
    private static final Duration STOP_MARGIN_WITHOUT_DATABASE = Duration.ofSeconds(2);

    /** How long this node tries to announce its drain before it starts to drain: handlers need the remaining time. */
    private static final Duration ANNOUNCEMENT = Duration.ofSeconds(1);

    /** How long each step of stopping may take even if the time for stopping is over. */
    private static final Duration MIN_TIME_PER_STEP = Duration.ofMillis(200);

    private final NodeResources base;
    private final LogContext logContext;
    private final HttpPorts ports;
    private final ForwardedCallsPort calls;
    private final DatabaseContact contact;
    private final NodeRegistration registration;
    private final LeaderRoles roles;
    private final JobEngine jobs;
    private final NodeParts parts = new NodeParts();
    private final CountDownLatch drained = new CountDownLatch(1);
    private volatile boolean left;
    private long stopBy;
    private volatile boolean started;
    private boolean closed;

    /** @param muster what the gateway works through; it exists once this constructor has returned */
    public Node(NodeResources base, Supplier<Muster> muster) {
        this.base = base;
        this.logContext =
                LogContext.of(base.nodeId(), base.config().node().name().orElse(null));
        GatewayHost host = new GatewayHost(muster);
        this.ports = new HttpPorts(base.config(), base.listens, base.gateway, base.mounted, host);
        this.calls = new ForwardedCallsPort(base, host);
        DatabasePolls polls = DatabasePolls.of(
                base.config().cluster(), base.config().cluster().heartbeatInterval(), base.clock());
        this.contact = polls.contact();
        Membership membership = new MembershipOfThisNode();
        this.roles = new LeaderRoles(base, membership, polls, this::isFitToLead);
        this.jobs = new JobEngine(base, membership, new Judging(this::beatNow, polls, parts));
        this.registration = new NodeRegistration(
                base.store.nodes(),
                registration(),
                base.config().cluster(),
                new NodeRegistration.Condition(
                        this::load, () -> roles.leads() || parts.holdWork(), base.coordinator()::isListening),
                polls,
                new CommandHandler(),
                base.telemetry(),
                base.clock());
        for (Subsystem subsystem : Subsystems.all()) {
            parts.add(subsystem.parts(base, membership));
        }
        // Added last, so that in its phase the worker is the first to stop: jobs may need all the time there is.
        parts.add(jobs.parts());
    }

    private final class MembershipOfThisNode implements Membership {
        @Override
        public UUID incarnation() {
            return registration.incarnation();
        }

        @Override
        public void beatMoreOften() {
            registration.beatMoreOften();
        }

        @Override
        public long aliveUntil() {
            return registration.aliveUntil();
        }

        @Override
        public Leadership leadership(LeaderRole role) {
            return roles.leadership(role);
        }
    }

    /** What the gateway sees of this node. */
    private final class GatewayHost implements Gateway.Host, CallPort.Host {
        private final Supplier<Muster> muster;
        private final Probes probes = new Probes(Node.this::readiness, Muster.version(), base.version);

        GatewayHost(Supplier<Muster> muster) {
            this.muster = muster;
        }

        @Override
        public Muster muster() {
            return muster.get();
        }

        @Override
        public Probes probes() {
            return probes;
        }

        @Override
        public NodeStatus status() {
            return left ? NodeStatus.DRAINING : registration.status();
        }

        @Override
        public NodeLoad load() {
            return Node.this.load();
        }

        @Override
        public UUID incarnation() {
            return registration.incarnation();
        }

        @Override
        public void called() {
            registration.beatMoreOften();
        }
    }

    private void beatNow() {
        registration.beatNow();
    }

    /** Whether no part of this node has been unable to do a leader's work for as long as a leader's lease. */
    private boolean isFitToLead() {
        return parts.areFitToLead(base.config().leader().lease());
    }

    private Registration registration() {
        return new Registration(
                base.nodeId(),
                UUID.randomUUID(),
                base.config().node().name().orElse(null),
                base.config().node().effectiveRoles(),
                calls.advertised().orElse(null),
                jobs.filter.queues(),
                jobs.filter.capabilities(),
                base.config().node().labels(),
                jobs.handlers(),
                base.config().cluster().heartbeatInterval(),
                jobs.filter.lease(),
                base.config().worker().claiming(),
                SilenceLimits.of(base.config().cluster()),
                "Java " + Runtime.version() + ", pid " + ProcessHandle.current().pid(),
                base.version,
                jobs.routes(),
                FunctionSubsystem.published(base));
    }

    public Leadership leadership(LeaderRole role) {
        return roles.leadership(role);
    }

    public List<Integer> ports() {
        return ports.ports();
    }

    /** Joins the cluster and starts to work. */
    public synchronized void start() {
        if (started || closed) {
            throw new MusterException("a Muster is started once; build another");
        }
        started = true;
        try {
            logContext.run("node", this::startAll);
        } catch (RuntimeException | Error e) {
            // A half-started node would claim jobs and send heartbeats, but no one could close it.
            try {
                close();
            } catch (RuntimeException | Error alsoWrong) {
                e.addSuppressed(alsoWrong);
            }
            throw e;
        }
    }

    private void startAll() {
        base.listeners.start();
        ports.open();
        registration.listensAt(calls.open().orElse(null));
        base.store.migrate();
        base.store.connect(new StoreEvents());
        registration.start();
        roles.election.start();
        parts.start();
        if (base.config().node().mode() == Mode.LEADER) {
            roles.awaitLeadership();
        }
        registration.activate();
    }

    /** Handles the events of the control connection. */
    private final class StoreEvents implements Store.Events {
        @Override
        public void nodesChanged() {
            registration.newsOfNodes();
            base.nodesChanged();
        }

        @Override
        public void reconnected() {
            contact.lost();
        }
    }

    /** Handles the commands that others write into this node's row. */
    private final class CommandHandler implements NodeRegistration.Commands {
        @Override
        public void drain() {
            begin("muster-drain", Node.this::drain);
        }

        @Override
        public void stopWork() {
            parts.suspend();
        }

        @Override
        public void retire() {
            begin("muster-retire", () -> stopClusterWork(Node.this::runStepHere));
        }

        @Override
        public void resumeWork() {
            parts.resume();
        }

        @Override
        public void released(List<Recovered> claims) {
            jobs.takenBack(claims);
        }

        private static void begin(String name, Runnable order) {
            Thread thread = new Thread(LogContext.inherit("node", order), name);
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** What this node reports with every heartbeat. */
    private NodeLoad load() {
        double cpu = ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean os
                ? Math.max(0, os.getProcessCpuLoad())
                : 0;
        Runtime runtime = Runtime.getRuntime();
        return new NodeLoad(
                base.store.connections(),
                jobs.runningJobs(),
                cpu,
                runtime.totalMemory() - runtime.freeMemory(),
                jobs.executors());
    }

    public NodeState state() {
        NodeStatus status = left ? NodeStatus.DRAINING : registration.status();
        return new NodeState(status, load());
    }

    /** A program that only enqueues does not start its node, which so has no control connection. */
    public boolean reachesDatabase() {
        if (started) {
            return base.store.isReachable();
        }
        try {
            base.port(OverviewStore.class).readTime();
            return true;
        } catch (MusterException e) {
            return false;
        }
    }

    private Readiness readiness() {
        NodeStatus status = left ? NodeStatus.DRAINING : registration.status();
        boolean needsWakeups = base.config().worker().wakeup() != Wakeup.NONE;
        boolean database = base.store.isReachable();
        // Before and after that the node is not ready whatever its parts say, and they have no database to ask.
        boolean working = database && status == NodeStatus.ACTIVE;
        return new Readiness(
                database,
                !needsWakeups || base.coordinator().isListening(),
                status,
                working ? partsReadiness() : Map.of(),
                working ? parts.whyNotReady() : Optional.empty());
    }

    /** A gateway is mentioned only if nobody gets in. */
    private Map<String, Boolean> partsReadiness() {
        Map<String, Boolean> all = new TreeMap<>(parts.readiness());
        if (base.gateway != null && !base.gateway.letsIn()) {
            all.put("gateway", false);
        }
        return all;
    }

    /** The first problem of a part, or else the first remark; the parts that are likely to be the cause come first. */
    public Health health() {
        if (left) {
            return Health.failing("this node was drained and has left the cluster; it no longer runs anything");
        }
        List<Health> all = Stream.concat(
                        Stream.of(registration.health(), roles.election.health()), parts.health().stream())
                .filter(health -> !health.equals(Health.OK))
                .toList();
        return all.stream()
                .filter(health -> !health.ok())
                .findFirst()
                .orElseGet(() -> all.isEmpty() ? Health.OK : all.get(0));
    }

    /**
     * Stops this node and leaves the cluster, as after SIGTERM, in this order:
     *
     * <ol>
     *   <li>{@link NodeRegistration#drain} marks the node as draining, so that no other node counts on it.
     *   <li>{@link HttpPorts#drain}: load balancers notice that this node is not ready, and the requests that it handles end. Then
     *       {@link ForwardedCallsPort#drain}: the calls that other nodes have forwarded end. The node works on meanwhile.
     *   <li>{@link NodeParts#stop}: all parts are told, so that daemons end meanwhile. Then the parts stop one after the other: first
     *       {@link dev.muster.internal.worker.Worker#stop}, which claims no more, releases the jobs that have not started, waits for the running
     *       ones within {@code worker.drain_timeout}, interrupts the rest and writes the last outcomes; the daemons; what was
     *       published; and what this node did for the cluster, such as crons and recovery.
     *   <li>{@link dev.muster.internal.leader.Election#stop}: the node gives up its leader roles.
     *   <li>{@link NodeRegistration#stop}: the heartbeats end, claims that are left are released, the node's row is removed.
     *   <li>The application's job listeners get the remaining events.
     * </ol>
     *
     * Each step has a limited time, and a step that fails does not prevent the next. Enqueuing and reading still work afterwards;
     * {@link #close} then closes the store and the ports. {@link Muster#drain} and an operator's drain come here too, without a close.
     */
    private synchronized void drain() {
        if (!started || left) {
            return;
        }
        stopBy = System.nanoTime() + stoppingTime().toNanos();
        base.store.failFast(true);
        try {
            runStep(registration::drain, System.nanoTime() + ANNOUNCEMENT.toNanos());
            drainPorts();
            parts.stop(this::runStep);
            runStep(roles.election::stop);
            runStep(registration::stop);
            runStep(base.listeners::stop);
        } finally {
            base.store.failFast(false);
            left = true;
            drained.countDown();
        }
    }

    /** Drains this node at its own program's request. */
    public void drainNow() {
        // A start that waits for other workers holds this object's lock.
        registration.stopWaiting();
        logContext.run("node", this::drain);
    }

    /** The time that requests take is not taken from the jobs. */
    private void drainPorts() {
        long start = System.nanoTime();
        long outerLimit = stopBy;
        base.store.failFast(false);
        stopBy = start
                + MIN_TIME_PER_STEP
                        .plus(ports.drainTime())
                        .plus(calls.drainTime())
                        .toNanos();
        runStep(ports::drain, stopBy);
        runStep(calls::drain, stopBy);
        stopBy = outerLimit + System.nanoTime() - start;
        base.store.failFast(true);
    }

    /** Stops the leader's work first, then gives up the leader roles, so that no other node starts before this one has ended. */
    private void stopClusterWork(Consumer<Runnable> attempt) {
        parts.stopClusterWork(attempt);
        attempt.accept(roles.election::stop);
    }

    /**
     * Runs a step of stopping on its own thread, and waits for it until the time for stopping is over. A step that waits for a
     * database that does not answer is abandoned, and the next one begins.
     */
    private void runStep(Runnable step) {
        long notBefore = System.nanoTime() + MIN_TIME_PER_STEP.toNanos();
        long giveUpAt = stopBy - STOP_MARGIN.minus(STOP_MARGIN_WITHOUT_DATABASE).toNanos();
        runStep(step, Math.max(giveUpAt, notBefore));
    }

    /** @param giveUpAt when the step is abandoned if the database does not answer */
    private void runStep(Runnable step, long giveUpAt) {
        Thread thread = new Thread(LogContext.inherit("node", () -> runStepHere(step)), "muster-stop");
        thread.setDaemon(true);
        thread.start();
        boolean interrupted = join(thread, giveUpAt);
        if (thread.isAlive() && stopBy - System.nanoTime() > 0 && base.store.isReachable()) {
            interrupted |= join(thread, stopBy);
        }
        if (thread.isAlive()) {
            log.warn("node={} stops without waiting any longer for {}", base.nodeId(), whereabouts(thread));
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for a step; if this thread is interrupted, the step's thread is interrupted too. */
    private static boolean join(Thread step, long limit) {
        boolean interrupted = false;
        while (step.isAlive() && limit - System.nanoTime() > 0) {
            try {
                TimeUnit.NANOSECONDS.timedJoin(step, limit - System.nanoTime());
            } catch (InterruptedException e) {
                interrupted = true;
                step.interrupt();
            }
        }
        return interrupted;
    }

    /** The innermost method of Muster on a thread's stack. */
    private static String whereabouts(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .filter(frame -> frame.getClassName().startsWith("dev.muster."))
                .findFirst()
                .map(frame -> frame.getClassName() + "." + frame.getMethodName())
                .orElse("one of its parts");
    }

    private void runStepHere(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            log.warn("node={} one of its parts failed to stop", base.nodeId(), e);
        }
    }

    public void awaitDrained() {
        try {
            drained.await();
        } catch (InterruptedException e) {
            throw new WaitInterrupted("node " + base.nodeId() + " to leave the cluster", e);
        }
    }

    private Duration stoppingTime() {
        return base.config().worker().drainTimeout().plus(STOP_MARGIN);
    }

    /**
     * Drains the node, and closes the store and the ports. Takes at most {@code gateway.drain_notice}, {@code gateway.drain_timeout} and
     * {@code worker.drain_timeout} together, and a few seconds.
     */
    @Override
    public void close() {
        // A start that waits for other workers holds this object's lock.
        registration.stopWaiting();
        logContext.run("node", this::closeOnce);
    }

    private synchronized void closeOnce() {
        if (closed) {
            return;
        }
        closed = true;
        stopBy = System.nanoTime() + stoppingTime().toNanos();
        try {
            drain();
        } finally {
            drained.countDown();
            runStep(base.routedHandlers::close);
            runStep(base.store::close);
            runStep(ports::close);
            runStep(calls::close);
        }
    }
}
