package dev.muster;

import dev.muster.access.ApiKeys;
import dev.muster.access.Audit;
import dev.muster.batch.Batches;
import dev.muster.cluster.ClusterCoordinator;
import dev.muster.cluster.NodeIdentityProvider;
import dev.muster.config.ConfigException;
import dev.muster.config.ConfigSource;
import dev.muster.config.MusterConfig;
import dev.muster.daemon.Daemons;
import dev.muster.function.Functions;
import dev.muster.graph.Graphs;
import dev.muster.internal.assembly.AfterBuild;
import dev.muster.internal.assembly.HandlerScanner;
import dev.muster.internal.assembly.NodeResources;
import dev.muster.internal.assembly.NodeSpec;
import dev.muster.internal.job.store.DriverJobs;
import dev.muster.internal.leader.UnelectedLeader;
import dev.muster.internal.node.Handlers;
import dev.muster.internal.worker.JobMethods;
import dev.muster.job.CurrentTransaction;
import dev.muster.job.DeadLetter;
import dev.muster.job.JobExecutor;
import dev.muster.job.JobHandler;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobListener;
import dev.muster.job.Jobs;
import dev.muster.job.Queues;
import dev.muster.job.payload.PayloadCipher;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.Leadership;
import dev.muster.lock.Locks;
import dev.muster.lock.StartupCoordinator;
import dev.muster.ratelimit.RateLimiterBackend;
import dev.muster.ratelimit.RateLimits;
import dev.muster.runtime.Clock;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.MusterException;
import dev.muster.schedule.Crons;
import dev.muster.telemetry.Telemetry;
import dev.muster.telemetry.Tracing;
import dev.muster.workflow.Workflows;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** Builds a Muster. */
public final class MusterBuilder {
    private final NodeSpec spec = new NodeSpec();
    private final AfterBuild<Muster> afterBuild = new AfterBuild<>();

    MusterBuilder() {}

    /** What it was given so far. */
    NodeSpec spec() {
        return spec;
    }

    /**
     * The program's connection pool. Muster holds one of its connections all the time, unless {@link #controlDataSource} is called,
     * and a few more under load.
     */
    public MusterBuilder dataSource(DataSource dataSource) {
        spec.dataSource = dataSource;
        return this;
    }

    /**
     * Where the one connection comes from that a node keeps open for heartbeats, leadership and notifications, instead of {@link
     * #dataSource}: for a small pool, or one that reports connections that are not returned. It must lead to the same database as
     * the pool, and need not be a pool itself: the driver's own {@code PGSimpleDataSource} will do.
     */
    public MusterBuilder controlDataSource(DataSource controlDataSource) {
        spec.controlDataSource = controlDataSource;
        return this;
    }

    /** A JDBC URL instead of a pool, the same as {@code database.url}; needs HikariCP on the classpath. */
    public MusterBuilder database(String url) {
        return set("database.url", url);
    }

    /**
     * Uses these settings and no others: neither {@code muster.toml} nor the {@code MUSTER_…} variables are read. Without
     * this call both are, see {@link ConfigSource#standard}. {@link #set} and {@link #database} change these settings too,
     * whether they are called before or after.
     */
    public MusterBuilder config(MusterConfig config) {
        spec.settings.startFrom(config);
        return this;
    }

    /**
     * Changes one setting, such as {@code set("worker.concurrency", "4")}. It overrides {@code muster.toml}, the environment
     * and {@link #config}. {@link #build} checks all settings together.
     */
    public MusterBuilder set(String key, String value) {
        spec.settings.set(key, value);
        return this;
    }

    /** Adds every annotated method of this object. */
    public MusterBuilder register(Object handlers) {
        if (handlers instanceof JobHandler handler) {
            return register(handler);
        }
        if (handlers instanceof Handlers found) {
            spec.handlers = spec.handlers.and(found);
            return this;
        }
        spec.version.mayBeOf(handlers.getClass());
        spec.handlers = spec.handlers.and(HandlerScanner.scanOrRefuse(handlers));
        return this;
    }

    /** Adds a handler without annotations. */
    public MusterBuilder register(JobHandler handler) {
        DriverJobs.refuseName(handler.name());
        spec.handlers = spec.handlers.with(JobMethods.JOBS, List.of(handler));
        return this;
    }

    /**
     * Adds an executor of the application's own, of kind {@code custom}. {@code routing.rules} or {@code routing.default} say which
     * jobs it runs. The node closes it when it stops.
     *
     * @param name the name that rules use
     */
    public MusterBuilder executor(String name, JobExecutor executor) {
        spec.settings.set("executors." + name + ".kind", "custom");
        spec.executors.put(name, executor);
        return this;
    }

    public MusterBuilder interceptor(JobInterceptor interceptor) {
        spec.interceptors.add(interceptor);
        return this;
    }

    /** Adds a listener, which this node tells of its failed attempts, dead letters and expired jobs. */
    public MusterBuilder listener(JobListener listener) {
        spec.listeners.add(listener);
        return this;
    }

    /** Calls the action for each job that becomes a dead letter on this node; {@link JobListener} says what is guaranteed. */
    public MusterBuilder onDeadLetter(Consumer<DeadLetter> action) {
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
    public MusterBuilder telemetry(Telemetry telemetry) {
        spec.telemetry.add(telemetry);
        return this;
    }

    /**
     * Makes spans of enqueues, attempts, steps of workflows and ticks of crons, and lets new jobs carry their trace; {@link Tracing}
     * says which. A second call replaces the first.
     */
    public MusterBuilder tracing(Tracing tracing) {
        spec.tracing = tracing;
        return this;
    }

    public MusterBuilder json(JsonCodec json) {
        spec.json = json;
        return this;
    }

    /** Encrypts args and results, instead of the keys in {@code encryption.keys}. */
    public MusterBuilder payloadCipher(PayloadCipher cipher) {
        spec.cipher = cipher;
        return this;
    }

    public MusterBuilder coordinator(ClusterCoordinator coordinator) {
        spec.coordinator = coordinator;
        return this;
    }

    public MusterBuilder currentTransaction(CurrentTransaction currentTransaction) {
        spec.currentTransaction = currentTransaction;
        return this;
    }

    /** Guards destructive work at start-up, instead of Muster's own locks. */
    public MusterBuilder startupCoordinator(StartupCoordinator startupCoordinator) {
        spec.startupCoordinator = startupCoordinator;
        return this;
    }

    /** Decides about rate limits, instead of the backend that {@code rate_limit.mode} names. */
    public MusterBuilder rateLimiter(RateLimiterBackend rateLimiter) {
        spec.rateLimiter = rateLimiter;
        return this;
    }

    /** Provides the node's id if {@code node.id} is not set. */
    public MusterBuilder nodeIdentity(NodeIdentityProvider identity) {
        spec.identity = identity;
        return this;
    }

    /**
     * The version of the application, shown with its node by {@code muster cluster nodes} and {@code /_api/health}. Without this
     * call it is the {@code Implementation-Version} in the manifest of the jar that the first registered handlers are from, if
     * there is one.
     *
     * @param version 1 to 100 printable characters, such as 2.4.1 or a commit
     */
    public MusterBuilder version(String version) {
        spec.version.set(version);
        return this;
    }

    /** Takes the version from the jar of this class of the application, if {@link #version} is not called. */
    public MusterBuilder versionOf(Class<?> type) {
        spec.version.mayBeOf(type);
        return this;
    }

    /** Opens a port even if {@code gateway.port} is not set: 8080 or, if that is taken, any free port. */
    public MusterBuilder listen() {
        spec.listens = true;
        return this;
    }

    /**
     * Serves HTTP with a gateway that is part of a web server of the program, instead of a port of the node's own. The node opens,
     * drains and closes it. {@code gateway.port} must not be set.
     */
    public MusterBuilder gateway(Gateway gateway) {
        spec.gateway = gateway;
        return this;
    }

    /** For tests that move time: the clock of this node's own deadlines. Leases and due times use the database's clock. */
    public MusterBuilder clock(Clock clock) {
        spec.clock = clock;
        return this;
    }

    /**
     * For tests only: the node acts as the leader of every role without an election, and its writes as the leader are not
     * fenced. See {@link UnelectedLeader}.
     */
    public MusterBuilder debugLeadUnelected() {
        spec.unelected = true;
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

    /** The daemons of the Muster that is being built; can be used once {@link #build} has returned. */
    public Daemons daemons() {
        return afterBuild.of(Daemons.class, "daemons()", Muster::daemons);
    }

    /** The workflows of the Muster that is being built; can be used once {@link #build} has returned. */
    public Workflows workflows() {
        return afterBuild.of(Workflows.class, "workflows()", Muster::workflows);
    }

    /** The graphs of the Muster that is being built; can be used once {@link #build} has returned. */
    public Graphs graphs() {
        return afterBuild.of(Graphs.class, "graphs()", Muster::graphs);
    }

    /** The batches of the Muster that is being built; can be used once {@link #build} has returned. */
    public Batches batches() {
        return afterBuild.of(Batches.class, "batches()", Muster::batches);
    }

    /** The functions of the Muster that is being built; can be used once {@link #build} has returned. */
    public Functions functions() {
        return afterBuild.of(Functions.class, "functions()", Muster::functions);
    }

    /** The locks of the Muster that is being built; can be used once {@link #build} has returned. */
    public Locks locks() {
        return afterBuild.of(Locks.class, "locks()", Muster::locks);
    }

    /** The rate limits of the Muster that is being built; can be used once {@link #build} has returned. */
    public RateLimits rateLimits() {
        return afterBuild.of(RateLimits.class, "rateLimits()", Muster::rateLimits);
    }

    /** The API keys of the Muster that is being built; can be used once {@link #build} has returned. */
    public ApiKeys apiKeys() {
        return afterBuild.of(ApiKeys.class, "apiKeys()", Muster::apiKeys);
    }

    /** The audit of the Muster that is being built; can be used once {@link #build} has returned. */
    public Audit audit() {
        return afterBuild.of(Audit.class, "audit()", Muster::audit);
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
        if (spec.controlDataSource != null && spec.dataSource == null) {
            throw new MusterException(
                    "controlDataSource(…) needs dataSource(…) too: with database.url Muster opens both itself");
        }
        Muster muster = new Muster(new NodeResources(spec));
        afterBuild.built(muster);
        return muster;
    }
}
