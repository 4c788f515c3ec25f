package dev.muster;

import com.sun.management.OperatingSystemMXBean;
import dev.muster.cluster.Membership;
import dev.muster.cluster.NodeIdentityProvider;
import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeStore.Load;
import dev.muster.cluster.NodeStore.Registration;
import dev.muster.config.MusterConfig;
import dev.muster.config.WorkerConfig.Wakeup;
import dev.muster.job.ClaimScope;
import dev.muster.job.JobHandler;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobRegistry;
import dev.muster.job.Jobs;
import dev.muster.job.Lane;
import dev.muster.job.PayloadCipher;
import dev.muster.job.Payloads;
import dev.muster.job.Queues;
import dev.muster.job.TransactionScope;
import dev.muster.job.WorkSignal;
import dev.muster.job.internal.StoredJobs;
import dev.muster.job.internal.StoredQueues;
import dev.muster.leader.Election;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.Leadership;
import dev.muster.leader.UnelectedLeader;
import dev.muster.runtime.Clock;
import dev.muster.runtime.Health;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.Service;
import dev.muster.upkeep.LogCompactor;
import dev.muster.upkeep.MetricsAggregator;
import dev.muster.wakeup.ClusterCoordinator;
import dev.muster.worker.Worker;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
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
    private final Jobs jobs;
    private final Queues queues;
    private final @Nullable Worker worker;
    private final Membership membership;
    private final Election election;
    private final Map<LeaderRole, Leadership> leaderships;
    private final List<Service> upkeep;
    private final boolean claiming;
    private boolean started;
    private boolean closed;

    private Muster(Builder builder) {
        MusterConfig config = builder.config;
        Clock clock = builder.clock;
        this.nodeId = config.node().id().orElseGet(builder.identity::getNodeId);
        this.claiming = config.worker().claiming();
        this.store = builder.openStore();
        JsonCodec json = builder.json != null ? builder.json : only(JsonCodec.class, "muster-json-jackson3");
        Payloads payloads = Payloads.of(builder.cipher, config.encryption());
        JobRegistry registry = new JobRegistry(builder.handlers);
        ClusterCoordinator coordinator = coordinator(builder);
        WorkSignal signal = signal(coordinator);
        this.queues = new StoredQueues(store.queues(), signal);
        this.jobs = new StoredJobs(
                store.jobs(),
                json,
                payloads,
                registry,
                store.nodes(),
                builder.interceptors,
                builder.transactionScope,
                signal,
                clock);
        Set<String> served = config.node().queues().map(Set::copyOf).orElse(null);
        Set<String> capabilities = Set.copyOf(config.node().capabilities());
        ClaimScope scope = new ClaimScope(nodeId, served, capabilities, registry.names(), lease(config));
        this.worker = registry.isEmpty()
                ? null
                : new Worker(
                        scope,
                        config.worker(),
                        store.jobs(),
                        registry,
                        builder.interceptors,
                        json,
                        payloads,
                        coordinator,
                        clock);
        UUID incarnation = UUID.randomUUID();
        this.election =
                new Election(store.leaders(), nodeId, () -> incarnation, mayLead(builder), config.leader(), clock);
        this.leaderships = Arrays.stream(LeaderRole.values())
                .collect(Collectors.toMap(role -> role, role -> leadership(builder, role)));
        this.upkeep = List.of(
                new LogCompactor(store.upkeep(), leadership(LeaderRole.LOG_COMPACTOR), config.history()),
                new MetricsAggregator(store.upkeep(), leadership(LeaderRole.METRICS_AGGREGATOR)));
        this.membership = new Membership(
                store.nodes(),
                new Registration(
                        nodeId,
                        incarnation,
                        config.node().name().orElse(null),
                        served,
                        capabilities,
                        registry.all(),
                        config.cluster().heartbeatInterval(),
                        "Java " + Runtime.version() + ", pid "
                                + ProcessHandle.current().pid()),
                this::load);
    }

    /** The leader roles that this node competes for. */
    private static Set<LeaderRole> mayLead(Builder builder) {
        return builder.unelected ? Set.of() : Set.of(LeaderRole.values());
    }

    private Leadership leadership(Builder builder, LeaderRole role) {
        return builder.unelected ? new UnelectedLeader(store.leaders(), role, nodeId) : election.leadership(role);
    }

    /** Without claiming there is nobody who could take a claim over, and so nothing to renew. */
    private static Duration lease(MusterConfig config) {
        return config.worker().claiming() ? config.worker().lease() : Duration.ofDays(36_500);
    }

    private ClusterCoordinator coordinator(Builder builder) {
        if (builder.coordinator != null) {
            return builder.coordinator;
        }
        return builder.config.worker().wakeup() == Wakeup.NONE ? ClusterCoordinator.none() : store.coordinator();
    }

    private static WorkSignal signal(ClusterCoordinator coordinator) {
        return new WorkSignal() {
            @Override
            public void newWork(Set<Lane> lanes) {
                try {
                    coordinator.notifyNewWork(lanes);
                } catch (MusterException e) {
                    // The jobs are committed; nodes find them when they poll.
                    log.warn("wake-up not sent: {}", e.getMessage());
                }
            }

            @Override
            public void newWork(Connection connection, Set<Lane> lanes) throws SQLException {
                coordinator.notifyNewWork(connection, lanes);
            }
        };
    }

    private static <T> T only(Class<T> service, String artifact) {
        return ServiceLoader.load(service)
                .findFirst()
                .orElseThrow(() -> new MusterException(
                        "no " + service.getSimpleName() + " found; add " + artifact + " to the classpath"));
    }

    public static Builder builder() {
        return new Builder();
    }

    /** This node's id in the cluster. */
    public String nodeId() {
        return nodeId;
    }

    public Jobs jobs() {
        return jobs;
    }

    public Queues queues() {
        return queues;
    }

    /** This node's part in a leader role: whether it leads, and the way to write as leader. */
    public Leadership leadership(LeaderRole role) {
        return leaderships.get(role);
    }

    /** The nodes of the cluster, as their rows say. */
    public List<NodeInfo> nodes() {
        return store.nodes().list();
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
        store.migrate();
        store.connect();
        membership.start();
        election.start();
        upkeep.forEach(Service::start);
        if (worker != null && !claiming) {
            beTheOnlyWorker();
        }
        if (worker != null) {
            worker.start();
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

    /** Drains and leaves: takes {@code worker.drain_timeout} at most, and a little for goodbyes. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (started) {
                membership.drain();
                if (worker != null) {
                    worker.stop();
                }
                upkeep.forEach(Service::stop);
                election.stop();
                membership.stop();
            }
        } finally {
            store.close();
        }
    }

    /** How this node is doing, in one line for an operator if it is not well. */
    public Health health() {
        Health own = membership.health().ok() ? election.health() : membership.health();
        return own.ok() && worker != null ? worker.health() : own;
    }

    private Load load() {
        double cpu = ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean os
                ? Math.max(0, os.getProcessCpuLoad())
                : 0;
        Runtime runtime = Runtime.getRuntime();
        return new Load(worker == null ? 0 : worker.runningJobs(), cpu, runtime.totalMemory() - runtime.freeMemory());
    }

    /** Puts a node together. */
    public static final class Builder {
        private MusterConfig config = MusterConfig.defaults();
        private final List<JobHandler> handlers = new ArrayList<>();
        private final List<JobInterceptor> interceptors = new ArrayList<>();
        private @Nullable DataSource dataSource;
        private @Nullable JsonCodec json;
        private @Nullable PayloadCipher cipher;
        private @Nullable ClusterCoordinator coordinator;
        private TransactionScope transactionScope = TransactionScope.none();
        private NodeIdentityProvider identity = NodeIdentityProvider.random();
        private Clock clock = Clock.system();
        private boolean unelected;

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
            List<JobHandler> found = HandlerScanner.jobs(handlers);
            if (found.isEmpty()) {
                throw new MusterException(handlers.getClass().getName() + " has no method annotated with @Job");
            }
            this.handlers.addAll(found);
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

        /** Used when {@code node.id} is not set. */
        public Builder nodeIdentity(NodeIdentityProvider identity) {
            this.identity = identity;
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
            return new Muster(this);
        }

        private Store openStore() {
            return only(StoreProvider.class, "muster-postgres").open(dataSource, config);
        }
    }
}
