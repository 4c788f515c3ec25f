package dev.muster;

import com.sun.management.OperatingSystemMXBean;
import dev.muster.cluster.Contact;
import dev.muster.cluster.LeaderInfo;
import dev.muster.cluster.Membership;
import dev.muster.cluster.NodeIdentityProvider;
import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.cluster.NodeStore.Joined;
import dev.muster.cluster.NodeStore.Load;
import dev.muster.cluster.NodeStore.Registration;
import dev.muster.config.MusterConfig;
import dev.muster.config.NodeConfig.Mode;
import dev.muster.config.NodeRole;
import dev.muster.config.WorkerConfig.Wakeup;
import dev.muster.daemon.DaemonHandler;
import dev.muster.daemon.DaemonKeeper;
import dev.muster.daemon.DaemonStore.Holder;
import dev.muster.daemon.Daemons;
import dev.muster.health.Readiness;
import dev.muster.job.ClaimScope;
import dev.muster.job.JobHandler;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobRegistry;
import dev.muster.job.Jobs;
import dev.muster.job.PayloadCipher;
import dev.muster.job.Queues;
import dev.muster.job.TransactionScope;
import dev.muster.job.WorkSignal;
import dev.muster.job.internal.ObserverJobs;
import dev.muster.leader.Election;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.Leadership;
import dev.muster.leader.UnelectedLeader;
import dev.muster.lock.LockStartupCoordinator;
import dev.muster.lock.Locks;
import dev.muster.lock.StartupCoordinator;
import dev.muster.recovery.Duty;
import dev.muster.recovery.Recovery;
import dev.muster.runtime.Cadence;
import dev.muster.runtime.Clock;
import dev.muster.runtime.Health;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.Service;
import dev.muster.schedule.CronHandler;
import dev.muster.schedule.CronJobs;
import dev.muster.schedule.CronPublisher;
import dev.muster.schedule.Crons;
import dev.muster.schedule.Scheduler;
import dev.muster.upkeep.LogCompactor;
import dev.muster.upkeep.MetricsAggregator;
import dev.muster.wakeup.ClusterCoordinator;
import dev.muster.wakeup.ClusterCoordinator.Topic;
import dev.muster.worker.Worker;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One node, and the way to its jobs.
 *
 * <pre>{@code
 * Muster muster = Muster.builder().dataSource(dataSource).register(new Orders()).build();
 * muster.start();
 * JobId id = muster.jobs().enqueue("process_order", new OrderArgs(42));
 * }</pre>
 *
 * A Muster that is built and not started can enqueue and look, and runs nothing.
 */
public final class Muster implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Muster.class);

    private final String nodeId;
    private final Store store;
    private final Access access;
    private final @Nullable Worker worker;
    private final Membership membership;
    private final Election election;
    private final Map<LeaderRole, Leadership> leaderships;
    private final @Nullable Recovery recovery;
    private final Contact contact;
    private final Leadership scheduler;
    private final @Nullable CronPublisher cronPublisher;
    private final @Nullable Scheduler cronScheduler;
    private final @Nullable DaemonKeeper daemonKeeper;
    private final ClusterCoordinator coordinator;
    private final MusterConfig config;
    private final CountDownLatch drained = new CountDownLatch(1);
    private final Gateway gateway;
    private volatile boolean left;
    private final List<Service> upkeep;
    private boolean started;
    private boolean closed;

    private Muster(Foundation base) {
        this.config = base.config;
        this.gateway = new Gateway(config, base.listens, this::readiness);
        Clock clock = base.clock;
        this.nodeId = base.nodeId;
        this.store = base.store;
        JobRegistry registry = base.registry;
        this.coordinator = base.coordinator;
        WorkSignal signal = base.signal;
        this.access = Access.to(base);
        boolean observes = config.node().observes();
        Set<String> served = config.node().queues().map(Set::copyOf).orElse(null);
        Set<String> capabilities = Set.copyOf(config.node().capabilities());
        ClaimScope scope = new ClaimScope(nodeId, served, capabilities, registry.names(), lease(config));
        boolean works = config.node().has(NodeRole.WORKER) && !registry.isEmpty();
        this.worker = !works
                ? null
                : new Worker(
                        scope,
                        config.worker(),
                        store.jobs(),
                        registry,
                        base.interceptors,
                        base.json,
                        base.payloads,
                        coordinator,
                        this::hasWork,
                        clock);
        this.contact = new Contact(clock, config.worker().lease());
        Cadence cadence = new Cadence(config.cluster().heartbeatInterval(), clock);
        this.election = new Election(
                store.leaders(),
                nodeId,
                this::incarnation,
                mayLead(base),
                config.leader(),
                this::hasWork,
                cadence,
                clock);
        this.leaderships = Arrays.stream(LeaderRole.values())
                .collect(Collectors.toMap(role -> role, role -> leadership(base, role)));
        this.scheduler = leadership(LeaderRole.SCHEDULER);
        this.upkeep = !config.node().has(NodeRole.SCHEDULER)
                ? List.of()
                : List.of(
                        new LogCompactor(store.upkeep(), leadership(LeaderRole.LOG_COMPACTOR), config.history()),
                        new MetricsAggregator(store.upkeep(), leadership(LeaderRole.METRICS_AGGREGATOR)));
        this.membership = new Membership(
                store.nodes(),
                new Registration(
                        nodeId,
                        UUID.randomUUID(),
                        config.node().name().orElse(null),
                        config.node().effectiveRoles(),
                        config.node().advertise().orElse(null),
                        served,
                        capabilities,
                        works ? registry.all() : List.of(),
                        config.cluster().heartbeatInterval(),
                        lease(config),
                        "Java " + Runtime.version() + ", pid "
                                + ProcessHandle.current().pid()),
                config.cluster(),
                this::load,
                this::holdsWork,
                coordinator::isListening,
                contact,
                new Obedience(),
                cadence,
                clock);
        this.recovery = observes
                ? null
                : new Recovery(
                        nodeId,
                        store.nodes(),
                        store.jobs(),
                        new Duty(
                                scheduler,
                                store.leaders()::unfenced,
                                config.leader().lease()),
                        contact,
                        config.cluster(),
                        config.worker(),
                        new Estate(),
                        worker == null ? signal::newWork : worker::newWork,
                        cadence,
                        clock);
        CronJobs cronJobs = new CronJobs(base.json, base.payloads);
        this.cronPublisher = observes
                ? null
                : new CronPublisher(
                        store.crons(),
                        base.handlers.crons().stream()
                                .map(CronHandler::definition)
                                .toList(),
                        base.startupCoordinator != null
                                ? base.startupCoordinator
                                : new LockStartupCoordinator(access.locks()),
                        base::cronsChanged,
                        CronPublisher.Timing.DEFAULT);
        this.cronScheduler = observes || !config.node().has(NodeRole.SCHEDULER)
                ? null
                : new Scheduler(
                        store.crons(),
                        cronJobs,
                        access.jobs(),
                        scheduler,
                        config.scheduler().tick(),
                        config.history().retain(),
                        clock);
        this.daemonKeeper = base.handlers.daemons().isEmpty() || !config.node().has(NodeRole.WORKER)
                ? null
                : new DaemonKeeper(
                        store.daemons(),
                        base.handlers.daemons(),
                        () -> new Holder(nodeId, incarnation()),
                        store::connection,
                        base::daemonsChanged,
                        this::hasWork,
                        new DaemonKeeper.Times(
                                config.worker().lease(),
                                config.worker().renew(),
                                config.worker().drainTimeout()),
                        clock);
        if (cronScheduler != null) {
            coordinator.registerChangeListener(Topic.CRONS, cronScheduler::wake);
        }
        if (daemonKeeper != null) {
            coordinator.registerChangeListener(Topic.DAEMONS, daemonKeeper::wake);
        }
    }

    /** Whether others would have to take something over if this node fell silent. */
    private boolean holdsWork() {
        return leaderships.values().stream().anyMatch(Leadership::isLeader)
                || (worker != null && worker.holdsClaims())
                || (daemonKeeper != null && daemonKeeper.held() > 0);
    }

    private void hasWork() {
        membership.hurry();
    }

    /** What this node does when its row says so. */
    private final class Obedience implements Membership.Orders {
        @Override
        public void drain() {
            Thread thread = new Thread(Muster.this::drain, "muster-drain");
            thread.setDaemon(true);
            thread.start();
        }

        @Override
        public void stopWork() {
            if (worker != null) {
                worker.suspend();
            }
            if (daemonKeeper != null) {
                daemonKeeper.suspend();
            }
        }

        @Override
        public void retire() {
            Thread thread = new Thread(Muster.this::stopLeading, "muster-retire");
            thread.setDaemon(true);
            thread.start();
        }

        @Override
        public void resumeWork() {
            if (worker != null) {
                worker.resume();
            }
            if (daemonKeeper != null) {
                daemonKeeper.resume();
            }
        }

        @Override
        public void released(Joined joined) {
            if (recovery != null) {
                recovery.takenBack(joined.released());
            }
        }
    }

    /** What dead nodes leave behind beside their claims. */
    private final class Estate implements Recovery.Estate {
        @Override
        public void release(Connection tx, String node, UUID incarnation) throws SQLException {
            store.daemons().release(tx, node, incarnation);
        }

        @Override
        public void released() {
            coordinator.notifyChange(Topic.DAEMONS);
        }
    }

    /** What the control connection tells this node. */
    private final class News implements Store.Events {
        @Override
        public void nodesChanged() {
            membership.newsOfNodes();
        }

        @Override
        public void reconnected() {
            contact.lost();
        }
    }

    /** The leader roles that this node competes for. */
    private static Set<LeaderRole> mayLead(Foundation base) {
        return base.config.node().has(NodeRole.SCHEDULER) && !base.unelected ? Set.of(LeaderRole.values()) : Set.of();
    }

    private UUID incarnation() {
        return membership.incarnation();
    }

    private Leadership leadership(Foundation base, LeaderRole role) {
        return base.unelected ? new UnelectedLeader(store.leaders(), role, nodeId) : election.leadership(role);
    }

    /** Without claiming there is nobody who could take a claim over, and so nothing to renew. */
    private static Duration lease(MusterConfig config) {
        return config.worker().claiming() ? config.worker().lease() : Duration.ofDays(36_500);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** This node's id in the cluster. */
    public String nodeId() {
        return nodeId;
    }

    public Jobs jobs() {
        return access.jobs();
    }

    public Queues queues() {
        return access.queues();
    }

    /** This node's part in a leader role: whether it leads, and the way to write as leader. */
    public Leadership leadership(LeaderRole role) {
        return leaderships.get(role);
    }

    public Crons crons() {
        return access.crons();
    }

    public Daemons daemons() {
        return access.daemons();
    }

    /** Named locks for the whole cluster. */
    public Locks locks() {
        return access.locks();
    }

    /** The nodes of the cluster, as their rows say. */
    public List<NodeInfo> nodes() {
        return store.nodes().list();
    }

    /** The leaders of the cluster, as their rows say. */
    public List<LeaderInfo> leaders() {
        return store.nodes().leaders();
    }

    /**
     * Asks a node of the cluster to finish its work and leave, as {@code UPDATE muster_nodes SET status = 'draining'} does.
     *
     * @return false if no live node has this id
     */
    public boolean drainNode(String id) {
        if (config.node().observes()) {
            throw ObserverJobs.refusal("drain nodes");
        }
        return store.nodes().drain(id);
    }

    /** Does what {@code database.migrate} says: brings the tables up to date, checks them, or nothing. */
    public void migrate() {
        store.migrate();
    }

    /**
     * Joins the cluster and starts to run jobs.
     *
     * @throws dev.muster.runtime.DatabaseUnavailable if the database cannot be reached
     */
    public synchronized void start() {
        if (started || closed) {
            throw new MusterException("a Muster is started once; build another");
        }
        started = true;
        try {
            startAll();
        } catch (RuntimeException | Error e) {
            // Half a node would claim and beat and be nobody's.
            close();
            throw e;
        }
    }

    private void startAll() {
        gateway.open();
        store.migrate();
        store.connect(new News());
        membership.start();
        election.start();
        upkeep.forEach(Service::start);
        if (worker != null && !config.worker().claiming()) {
            beTheOnlyWorker();
        }
        if (cronPublisher != null) {
            cronPublisher.start();
        }
        if (worker != null) {
            worker.start();
        }
        if (recovery != null) {
            recovery.start();
        }
        if (cronScheduler != null) {
            cronScheduler.start();
        }
        if (daemonKeeper != null) {
            daemonKeeper.start();
        }
        if (config.node().mode() == Mode.LEADER) {
            beTheLeader();
        }
        membership.activate();
    }

    /** The ports at which this node answers HTTP, in the order of {@code gateway.port} and {@code gateway.health_port}. */
    public List<Integer> ports() {
        return gateway.ports();
    }

    private Readiness readiness() {
        NodeStatus status = left ? NodeStatus.DRAINING : membership.status();
        boolean needsWakeups = config.worker().wakeup() != Wakeup.NONE;
        return new Readiness(store.isReachable(), !needsWakeups || coordinator.isListening(), status);
    }

    private void beTheLeader() {
        long deadline = System.nanoTime()
                + config.leader().lease().plus(config.leader().checkInterval()).toNanos();
        while (!scheduler.isLeader()) {
            if (System.nanoTime() - deadline >= 0) {
                String holder = store.nodes().leaders().stream()
                        .filter(leader -> leader.role().equals(LeaderRole.SCHEDULER.text()) && leader.isHeld())
                        .flatMap(leader -> leader.node().stream())
                        .findFirst()
                        .map(node -> "; node " + node + " leads")
                        .orElse("");
                throw new MusterException("node.mode = leader, but leadership is taken" + holder);
            }
            try {
                TimeUnit.MILLISECONDS.sleep(20);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new MusterException("interrupted while waiting for leadership", e);
            }
        }
    }

    private void beTheOnlyWorker() {
        List<String> others = store.nodes().list().stream()
                .filter(node -> !node.id().equals(nodeId) && node.isAlive() && node.hasHandlers())
                .map(NodeInfo::id)
                .toList();
        if (!others.isEmpty()) {
            throw new MusterException("worker.claiming = false is for a single worker, but these are active: "
                    + String.join(", ", others) + "; stop them, or set worker.claiming to true on all nodes");
        }
        int recovered = store.jobs().recoverAll();
        if (recovered > 0) {
            log.info("node={} took over {} jobs that its predecessor left", nodeId, recovered);
        }
    }

    /**
     * Finishes what runs, hands back the rest, and leaves the cluster. Enqueueing and looking still work afterwards. Whatever
     * fails on the way, the rest is done.
     */
    private synchronized void drain() {
        if (!started || left) {
            return;
        }
        try {
            stopping(membership::drain);
            if (daemonKeeper != null) {
                stopping(daemonKeeper::drain);
            }
            if (worker != null) {
                stopping(worker::stop);
            }
            if (daemonKeeper != null) {
                stopping(daemonKeeper::stop);
            }
            if (cronPublisher != null) {
                stopping(cronPublisher::stop);
            }
            stopLeading();
            stopping(membership::stop);
        } finally {
            left = true;
            drained.countDown();
        }
    }

    /** Ends the duties of a leader first, then the leadership: until then they are done here. */
    private void stopLeading() {
        if (cronScheduler != null) {
            stopping(cronScheduler::stop);
        }
        upkeep.forEach(service -> stopping(service::stop));
        if (recovery != null) {
            stopping(recovery::stop);
        }
        stopping(election::stop);
    }

    private void stopping(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            log.warn("node={} something did not stop as it should", nodeId, e);
        }
    }

    /** Drains and leaves: takes {@code worker.drain_timeout} at most, and a little for goodbyes. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            drain();
        } finally {
            drained.countDown();
            try {
                store.close();
            } finally {
                gateway.close();
            }
        }
    }

    /** Waits until this node has left the cluster: because an operator drained it, or because it was closed. */
    public void awaitDrained() throws InterruptedException {
        drained.await();
    }

    /** How this node is doing, in one line for an operator if it is not well. */
    public Health health() {
        if (left) {
            return Health.failing("this node was drained and has left the cluster; it runs nothing any more");
        }
        return Stream.concat(
                        Stream.of(membership, election, worker, recovery, cronScheduler, cronPublisher, daemonKeeper),
                        upkeep.stream())
                .filter(Objects::nonNull)
                .map(Service::health)
                .filter(health -> !health.ok())
                .findFirst()
                .orElse(Health.OK);
    }

    private Load load() {
        double cpu = ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean os
                ? Math.max(0, os.getProcessCpuLoad())
                : 0;
        Runtime runtime = Runtime.getRuntime();
        return new Load(
                store.connections(),
                worker == null ? 0 : worker.runningJobs(),
                cpu,
                runtime.totalMemory() - runtime.freeMemory());
    }

    /** Puts a node together. */
    public static final class Builder {
        MusterConfig config = MusterConfig.defaults();
        final List<JobHandler> handlers = new ArrayList<>();
        final List<CronHandler> crons = new ArrayList<>();
        final List<DaemonHandler> daemons = new ArrayList<>();
        final List<JobInterceptor> interceptors = new ArrayList<>();
        TransactionScope transactionScope = TransactionScope.none();
        NodeIdentityProvider identity = NodeIdentityProvider.random();
        Clock clock = Clock.system();
        boolean unelected;
        boolean listens;

        @Nullable
        DataSource dataSource;

        @Nullable
        JsonCodec json;

        @Nullable
        PayloadCipher cipher;

        @Nullable
        ClusterCoordinator coordinator;

        @Nullable
        StartupCoordinator startupCoordinator;

        private Builder() {}

        /** The host's pool. Muster holds one connection of it all the time and a few more under load. */
        public Builder dataSource(DataSource dataSource) {
            this.dataSource = dataSource;
            return this;
        }

        /** A JDBC URL instead of a pool; needs HikariCP on the classpath. */
        public Builder database(String url) {
            return set("database.url", url);
        }

        /** Replaces all settings; call it before {@link #set}. */
        public Builder config(MusterConfig config) {
            this.config = config;
            return this;
        }

        /** Changes one setting, such as {@code set("worker.concurrency", "4")}. */
        public Builder set(String key, String value) {
            this.config = config.with(key, value);
            return this;
        }

        /** Adds every annotated method of this object. */
        public Builder register(Object handlers) {
            Handlers found = HandlerScanner.scan(handlers);
            if (found.isEmpty()) {
                throw new MusterException(
                        handlers.getClass().getName() + " has no method annotated with @Job, @Cron or @Daemon");
            }
            this.handlers.addAll(found.jobs());
            this.crons.addAll(found.crons());
            this.daemons.addAll(found.daemons());
            return this;
        }

        /** Adds a handler without annotations. */
        public Builder register(JobHandler handler) {
            this.handlers.add(handler);
            return this;
        }

        public Builder interceptor(JobInterceptor interceptor) {
            this.interceptors.add(interceptor);
            return this;
        }

        public Builder json(JsonCodec json) {
            this.json = json;
            return this;
        }

        /** Encrypts args and results, in place of the keys in {@code encryption.keys}. */
        public Builder payloadCipher(PayloadCipher cipher) {
            this.cipher = cipher;
            return this;
        }

        public Builder coordinator(ClusterCoordinator coordinator) {
            this.coordinator = coordinator;
            return this;
        }

        public Builder transactionScope(TransactionScope transactionScope) {
            this.transactionScope = transactionScope;
            return this;
        }

        /** Guards destructive work at start-up, in place of Muster's own locks. */
        public Builder startupCoordinator(StartupCoordinator startupCoordinator) {
            this.startupCoordinator = startupCoordinator;
            return this;
        }

        /** Used when {@code node.id} is not set. */
        public Builder nodeIdentity(NodeIdentityProvider identity) {
            this.identity = identity;
            return this;
        }

        /** Opens {@code gateway.port} also when it is left open: 8080 or, if that is taken, any free port. */
        public Builder listen() {
            this.listens = true;
            return this;
        }

        /** For tests that move time: what this node measures its own deadlines with. Leases and due times stay the database's. */
        public Builder clock(Clock clock) {
            this.clock = clock;
            return this;
        }

        /**
         * For tests only: the node takes itself for the leader of every role without an election, and its writes as
         * leader are not fenced. See {@link UnelectedLeader}.
         */
        public Builder debugLeadUnelected() {
            this.unelected = true;
            return this;
        }

        public Muster build() {
            return new Muster(new Foundation(this));
        }
    }
}
