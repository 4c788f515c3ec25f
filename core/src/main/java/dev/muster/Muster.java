package dev.muster;

import dev.muster.access.ApiKeys;
import dev.muster.access.Audit;
import dev.muster.batch.Batches;
import dev.muster.cluster.LeaderInfo;
import dev.muster.cluster.NodeIdentityProvider;
import dev.muster.cluster.NodeInfo;
import dev.muster.config.ConfigException;
import dev.muster.config.ConfigSource;
import dev.muster.config.MusterConfig;
import dev.muster.daemon.DaemonStore;
import dev.muster.daemon.Daemons;
import dev.muster.function.Functions;
import dev.muster.graph.Graphs;
import dev.muster.job.DeadLetter;
import dev.muster.job.JobExecutor;
import dev.muster.job.JobHandler;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobListener;
import dev.muster.job.Jobs;
import dev.muster.job.Queues;
import dev.muster.job.TransactionScope;
import dev.muster.job.payload.PayloadCipher;
import dev.muster.job.store.DriverJobs;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.Leadership;
import dev.muster.leader.UnelectedLeader;
import dev.muster.limit.RateLimiterBackend;
import dev.muster.limit.RateLimits;
import dev.muster.lock.Locks;
import dev.muster.lock.StartupCoordinator;
import dev.muster.node.Handlers;
import dev.muster.node.NodeContext;
import dev.muster.overview.Overview;
import dev.muster.overview.OverviewReader;
import dev.muster.overview.OverviewStore;
import dev.muster.runtime.Clock;
import dev.muster.runtime.Health;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.ObserverRefusal;
import dev.muster.schedule.Crons;
import dev.muster.telemetry.Telemetry;
import dev.muster.telemetry.Tracing;
import dev.muster.upkeep.UpkeepStore;
import dev.muster.wakeup.ClusterCoordinator;
import dev.muster.worker.JobMethods;
import dev.muster.workflow.Workflows;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * One node of the cluster, and the entry point to jobs, queues, crons, daemons and locks.
 *
 * <pre>{@code
 * Muster muster = Muster.builder().dataSource(dataSource).register(new Orders()).build();
 * muster.start();
 * JobId id = muster.jobs().enqueue("process_order", new OrderArgs(42));
 * }</pre>
 *
 * A Muster that is built but not started can enqueue and read, but runs nothing.
 */
public final class Muster implements ClusterApi, AutoCloseable {
    private final NodeResources base;
    private final Node node;

    private Muster(NodeResources base) {
        this.base = base;
        this.node = node(base);
    }

    /** If a part cannot be built, nobody else could close the store. */
    private Node node(NodeResources base) {
        try {
            return new Node(base, () -> this);
        } catch (RuntimeException | Error e) {
            base.store.close();
            throw e;
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    /** This node's id in the cluster. */
    public String nodeId() {
        return base.nodeId();
    }

    @Override
    public Jobs jobs() {
        return base.jobs();
    }

    @Override
    public Queues queues() {
        return base.api().queues();
    }

    /** This node's view of a leader role: whether it leads, and how it writes as the leader. */
    public Leadership leadership(LeaderRole role) {
        return node.leadership(role);
    }

    @Override
    public Crons crons() {
        return api(Crons.class);
    }

    @Override
    public Daemons daemons() {
        return api(Daemons.class);
    }

    @Override
    public Workflows workflows() {
        return api(Workflows.class);
    }

    @Override
    public Graphs graphs() {
        return api(Graphs.class);
    }

    @Override
    public Batches batches() {
        return api(Batches.class);
    }

    @Override
    public Functions functions() {
        return api(Functions.class);
    }

    @Override
    public Locks locks() {
        return base.locks();
    }

    /** Limits how often something may be done in the cluster. */
    public RateLimits rateLimits() {
        return base.rateLimits();
    }

    @Override
    public ApiKeys apiKeys() {
        return api(ApiKeys.class);
    }

    @Override
    public Audit audit() {
        return api(Audit.class);
    }

    /**
     * The API of a subsystem that another jar has brought along.
     *
     * @throws dev.muster.runtime.MusterException if there is no such subsystem
     */
    public <T> T api(Class<T> type) {
        return base.api().of(type);
    }

    /** What the subsystems of this node may use; for running their handlers without the node. */
    public NodeContext context() {
        return base;
    }

    /** The version of Muster itself. */
    public static String version() {
        String packaged = Muster.class.getPackage().getImplementationVersion();
        return packaged == null ? "not packaged" : packaged;
    }

    @Override
    public List<NodeInfo> nodes() {
        return base.store.nodes().list();
    }

    @Override
    public List<LeaderInfo> leaders() {
        return base.store.nodes().listLeaders();
    }

    @Override
    public Overview overview() {
        return new OverviewReader(
                        base.port(OverviewStore.class),
                        base.store.queues(),
                        base.store.nodes(),
                        base.port(DaemonStore.class),
                        base.port(UpkeepStore.class))
                .read();
    }

    @Override
    public Admin admin() {
        Admin admin = base.store.admin();
        return base.observes() ? new ObserverAdmin(admin) : admin;
    }

    @Override
    public boolean drainNode(String id) {
        if (base.observes()) {
            throw new ObserverRefusal("drain nodes");
        }
        return base.store.nodes().drain(id);
    }

    /** Brings the tables up to date, checks them, or does nothing, depending on {@code database.migrate}. */
    public void migrate() {
        base.store.migrate();
    }

    /**
     * Joins the cluster and starts to run jobs.
     *
     * @throws dev.muster.runtime.DatabaseUnavailable if the database cannot be reached
     */
    public void start() {
        node.start();
    }

    /** The ports at which this node answers HTTP, in the order of {@code gateway.port} and {@code gateway.health_port}. */
    public List<Integer> ports() {
        return node.ports();
    }

    /** The health of this node; if it is not healthy, with one line for an operator. */
    public Health health() {
        return node.health();
    }

    /** What this node does now, as it knows itself, without asking the database; for metrics. */
    public NodeState state() {
        return node.state();
    }

    /**
     * Asks the database, and returns whether it answers: on the control connection of a node that was started, within a short time, and
     * otherwise on a connection of the pool.
     */
    public boolean reachesDatabase() {
        return node.reachesDatabase();
    }

    /**
     * Waits until this node has left the cluster, because an operator drained it or because it was closed.
     *
     * @throws dev.muster.runtime.WaitInterrupted if the thread is interrupted meanwhile; its interrupt flag stays set
     */
    public void awaitDrained() {
        node.awaitDrained();
    }

    /**
     * Drains the node and leaves the cluster, as an operator's drain does: it runs nothing any more, but this Muster can still enqueue and
     * read until it is closed. For programs that stop running jobs before they stop answering requests. Takes as long as {@link #close}.
     */
    public void drain() {
        node.drainNow();
    }

    /**
     * Drains the node and leaves the cluster. This takes at most {@code worker.drain_timeout} and a few seconds, and with a gateway also
     * {@code gateway.drain_notice} and, while it handles requests, {@code gateway.drain_timeout}.
     */
    @Override
    public void close() {
        node.close();
    }

    /** Builds a Muster. */
    public static final class Builder {
        final BuilderSettings settings = new BuilderSettings();
        final List<JobInterceptor> interceptors = new ArrayList<>();
        final List<JobListener> listeners = new ArrayList<>();
        final Map<String, JobExecutor> executors = new HashMap<>();
        Handlers handlers = Handlers.NONE;
        final List<Telemetry> telemetry = new ArrayList<>();
        TransactionScope transactionScope = TransactionScope.none();
        NodeIdentityProvider identity = NodeIdentityProvider.random();
        Clock clock = Clock.system();
        boolean unelected;
        boolean listens;

        @Nullable
        Gateway gateway;

        final ApplicationVersion version = new ApplicationVersion();
        private final AfterBuild afterBuild = new AfterBuild();

        @Nullable
        DataSource dataSource;

        @Nullable
        DataSource controlDataSource;

        @Nullable
        JsonCodec json;

        @Nullable
        PayloadCipher cipher;

        @Nullable
        ClusterCoordinator coordinator;

        @Nullable
        StartupCoordinator startupCoordinator;

        @Nullable
        RateLimiterBackend rateLimiter;

        @Nullable
        Tracing tracing;

        private Builder() {}

        /**
         * The program's connection pool. Muster holds one of its connections all the time, unless {@link #controlDataSource} is called,
         * and a few more under load.
         */
        public Builder dataSource(DataSource dataSource) {
            this.dataSource = dataSource;
            return this;
        }

        /**
         * Where the one connection comes from that a node keeps open for heartbeats, leadership and notifications, instead of {@link
         * #dataSource}: for a small pool, or one that reports connections that are not returned. It must lead to the same database as
         * the pool, and need not be a pool itself: the driver's own {@code PGSimpleDataSource} will do.
         */
        public Builder controlDataSource(DataSource controlDataSource) {
            this.controlDataSource = controlDataSource;
            return this;
        }

        /** A JDBC URL instead of a pool, the same as {@code database.url}; needs HikariCP on the classpath. */
        public Builder database(String url) {
            return set("database.url", url);
        }

        /**
         * Uses these settings and no others: neither {@code muster.toml} nor the {@code MUSTER_…} variables are read. Without
         * this call both are, see {@link ConfigSource#standard}. {@link #set} and {@link #database} change these settings too,
         * whether they are called before or after.
         */
        public Builder config(MusterConfig config) {
            settings.startFrom(config);
            return this;
        }

        /**
         * Changes one setting, such as {@code set("worker.concurrency", "4")}. It overrides {@code muster.toml}, the environment
         * and {@link #config}. {@link #build} checks all settings together.
         */
        public Builder set(String key, String value) {
            settings.set(key, value);
            return this;
        }

        /** Adds every annotated method of this object. */
        public Builder register(Object handlers) {
            if (handlers instanceof JobHandler handler) {
                return register(handler);
            }
            version.mayBeOf(handlers.getClass());
            this.handlers = this.handlers.and(HandlerScanner.scanOrRefuse(handlers));
            return this;
        }

        /** Adds handlers that {@link HandlerScanner} has found, such as those of objects that a container creates later. */
        public Builder register(Handlers found) {
            this.handlers = this.handlers.and(found);
            return this;
        }

        /** Adds a handler without annotations. */
        public Builder register(JobHandler handler) {
            DriverJobs.refuseName(handler.name());
            this.handlers = handlers.with(JobMethods.JOBS, List.of(handler));
            return this;
        }

        /**
         * Adds an executor of the application's own, of kind {@code custom}. {@code routing.rules} or {@code routing.default} say which
         * jobs it runs. The node closes it when it stops.
         *
         * @param name the name that rules use
         */
        public Builder executor(String name, JobExecutor executor) {
            settings.set("executors." + name + ".kind", "custom");
            this.executors.put(name, executor);
            return this;
        }

        public Builder interceptor(JobInterceptor interceptor) {
            this.interceptors.add(interceptor);
            return this;
        }

        /** Adds a listener, which this node tells of its failed attempts, dead letters and expired jobs. */
        public Builder listener(JobListener listener) {
            this.listeners.add(listener);
            return this;
        }

        /** Calls the action for each job that becomes a dead letter on this node; {@link JobListener} says what is guaranteed. */
        public Builder onDeadLetter(Consumer<DeadLetter> action) {
            return listener(new JobListener() {
                @Override
                public void deadLetter(DeadLetter event) {
                    action.accept(event);
                }
            });
        }

        /**
         * Adds a listener for everything that this node does, for metrics and traces. It is called on the engine's own threads, so
         * it must be quick; {@link Telemetry} says what is guaranteed.
         */
        public Builder telemetry(Telemetry telemetry) {
            this.telemetry.add(telemetry);
            return this;
        }

        /**
         * Makes spans of enqueues, attempts, steps of workflows and ticks of crons, and lets new jobs carry their trace; {@link Tracing}
         * says which. A second call replaces the first.
         */
        public Builder tracing(Tracing tracing) {
            this.tracing = tracing;
            return this;
        }

        public Builder json(JsonCodec json) {
            this.json = json;
            return this;
        }

        /** Encrypts args and results, instead of the keys in {@code encryption.keys}. */
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

        /** Guards destructive work at start-up, instead of Muster's own locks. */
        public Builder startupCoordinator(StartupCoordinator startupCoordinator) {
            this.startupCoordinator = startupCoordinator;
            return this;
        }

        /** Decides about rate limits, instead of the backend that {@code rate_limit.mode} names. */
        public Builder rateLimiter(RateLimiterBackend rateLimiter) {
            this.rateLimiter = rateLimiter;
            return this;
        }

        /** Provides the node's id if {@code node.id} is not set. */
        public Builder nodeIdentity(NodeIdentityProvider identity) {
            this.identity = identity;
            return this;
        }

        /**
         * The version of the application, shown with its node by {@code muster cluster nodes} and {@code /_api/health}. Without this
         * call it is the {@code Implementation-Version} in the manifest of the jar that the first registered handlers are from, if
         * there is one.
         *
         * @param version 1 to 100 printable characters, such as 2.4.1 or a commit
         */
        public Builder version(String version) {
            this.version.set(version);
            return this;
        }

        /** Takes the version from the jar of this class of the application, if {@link #version} is not called. */
        public Builder versionOf(Class<?> type) {
            version.mayBeOf(type);
            return this;
        }

        /** Opens a port even if {@code gateway.port} is not set: 8080 or, if that is taken, any free port. */
        public Builder listen() {
            this.listens = true;
            return this;
        }

        /**
         * Serves HTTP with a gateway that is part of a web server of the program, instead of a port of the node's own. The node opens,
         * drains and closes it. {@code gateway.port} must not be set.
         */
        public Builder gateway(Gateway gateway) {
            this.gateway = gateway;
            return this;
        }

        /** For tests that move time: the clock of this node's own deadlines. Leases and due times use the database's clock. */
        public Builder clock(Clock clock) {
            this.clock = clock;
            return this;
        }

        /**
         * For tests only: the node acts as the leader of every role without an election, and its writes as the leader are not
         * fenced. See {@link UnelectedLeader}.
         */
        public Builder debugLeadUnelected() {
            this.unelected = true;
            return this;
        }

        /**
         * The jobs of the Muster that is being built, for handlers that are created before it: {@code
         * builder.register(new Orders(builder.jobs()))}. Can be used once {@link #build} has returned.
         */
        public Jobs jobs() {
            return afterBuild.of(Jobs.class, "jobs()", Muster::jobs);
        }

        /** The queues of the Muster that is being built; can be used once {@link #build} has returned. */
        public Queues queues() {
            return afterBuild.of(Queues.class, "queues()", Muster::queues);
        }

        /** The crons of the Muster that is being built; can be used once {@link #build} has returned. */
        public Crons crons() {
            return afterBuild.of(Crons.class, "crons()", Muster::crons);
        }

        /** The locks of the Muster that is being built; can be used once {@link #build} has returned. */
        public Locks locks() {
            return afterBuild.of(Locks.class, "locks()", Muster::locks);
        }

        /** The rate limits of the Muster that is being built; can be used once {@link #build} has returned. */
        public RateLimits rateLimits() {
            return afterBuild.of(RateLimits.class, "rateLimits()", Muster::rateLimits);
        }

        /** The API of a subsystem that another jar has brought along; can be used once {@link #build} has returned. */
        public <T> T api(Class<T> type) {
            return afterBuild.of(type, "api(" + type.getSimpleName() + ")", muster -> muster.api(type));
        }

        /** The node's view of a leader role; can be used once {@link #build} has returned. A node leads only after its start. */
        public Leadership leadership(LeaderRole role) {
            return afterBuild.of(Leadership.class, "leadership(" + role + ")", muster -> muster.leadership(role));
        }

        /**
         * Builds the Muster, which is not started yet. From now on, what {@link #jobs}, {@link #locks} and the like returned uses
         * this Muster; if any of them was called, this builder cannot build a second one.
         *
         * @throws ConfigException with all problems of the settings
         */
        public Muster build() {
            afterBuild.checkNotBuilt();
            if (controlDataSource != null && dataSource == null) {
                throw new MusterException(
                        "controlDataSource(…) needs dataSource(…) too: with database.url Muster opens both itself");
            }
            Muster muster = new Muster(new NodeResources(this));
            afterBuild.built(muster);
            return muster;
        }
    }
}
