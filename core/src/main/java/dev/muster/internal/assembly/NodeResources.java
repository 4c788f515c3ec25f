package dev.muster.internal.assembly;

import dev.muster.Gateway;
import dev.muster.cluster.ClusterCoordinator;
import dev.muster.cluster.NodeIdentityProvider;
import dev.muster.config.DatabaseConfig.Migrate;
import dev.muster.config.MusterConfig;
import dev.muster.config.NodeRole;
import dev.muster.config.WorkerConfig.Wakeup;
import dev.muster.internal.attempt.ArgsSource;
import dev.muster.internal.job.JobRegistry;
import dev.muster.internal.job.engine.Listeners;
import dev.muster.internal.job.payload.Payloads;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.WorkSignal;
import dev.muster.internal.lock.LockStartupCoordinator;
import dev.muster.internal.node.Handlers;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.provider.CallPort;
import dev.muster.internal.provider.GatewayProvider;
import dev.muster.internal.provider.Store;
import dev.muster.internal.provider.StoreProvider;
import dev.muster.internal.runtime.Names;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.job.CurrentTransaction;
import dev.muster.job.Enqueuer;
import dev.muster.job.JobId;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.lock.Locks;
import dev.muster.lock.StartupCoordinator;
import dev.muster.ratelimit.RateLimiterBackend;
import dev.muster.ratelimit.RateLimits;
import dev.muster.runtime.Clock;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.MusterException;
import dev.muster.telemetry.Telemetry;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What all parts of a node share: its id, what the builder was given, and defaults for the rest. The constructor opens the store;
 * its caller closes it.
 */
public final class NodeResources implements NodeContext {
    private final MusterConfig config;
    private final String nodeId;
    private final Clock clock;
    private final JsonCodec json;
    private final Payloads payloads;
    private final Handlers handlers;
    private final ClusterCoordinator coordinator;
    private final @Nullable StartupCoordinator startupCoordinator;
    final @Nullable RateLimiterBackend rateLimiter;
    private final ClientApi api;
    private final Map<Class<?>, Object> shared = new ConcurrentHashMap<>();
    private final List<Runnable> nodesListeners = new CopyOnWriteArrayList<>();
    final Store store;
    final RoutedHandlers routedHandlers;
    final JobRegistry registry;
    final List<JobInterceptor> interceptors;
    final Listeners listeners;
    private final TelemetryListeners telemetry;
    private final CurrentTransaction currentTransaction;
    final WorkSignal signal;
    final boolean unelected;
    final boolean listens;
    final @Nullable String version;
    final @Nullable Gateway gateway;
    final boolean mounted;
    final @Nullable CallPort callPort;

    public NodeResources(NodeSpec given) {
        this.config = effective(given.settings.read());
        this.nodeId = config.node().id().orElseGet(() -> provided(given.identity));
        this.clock = given.clock;
        this.json = given.json != null ? given.json : only(JsonCodec.class, "muster-json-jackson3");
        this.payloads = Payloads.of(given.cipher, config.encryption());
        this.handlers = given.handlers;
        this.interceptors = List.copyOf(given.interceptors);
        this.listeners = new Listeners(given.listeners, clock);
        this.mounted = given.gateway != null;
        this.gateway = gateway(given.gateway, given.listens);
        this.callPort = CallAddress.of(this).isPresent() ? callPort(config) : null;
        this.telemetry = new TelemetryListeners(telemetry(given), given.tracing, clock);
        this.currentTransaction = given.currentTransaction;
        this.startupCoordinator = given.startupCoordinator;
        this.rateLimiter = given.rateLimiter;
        this.unelected = given.unelected;
        this.listens = given.listens;
        this.version = given.version.get();
        this.store =
                only(StoreProvider.class, "muster-postgres").open(given.dataSource, given.controlDataSource, config);
        try {
            this.routedHandlers =
                    new RoutedHandlers(Subsystems.jobHandlers(handlers, () -> this), config, given.executors, json);
            this.registry = routedHandlers.registry();
            ConcurrencyKeys.check(registry, json);
            this.coordinator = given.coordinator != null
                    ? new GuardedCoordinator(given.coordinator, clock)
                    : coordinator(config, store);
            this.signal = new CoordinatorWorkSignal(coordinator);
            this.api = new ClientApi(this);
            api.addSubsystems();
        } catch (RuntimeException | Error e) {
            // If two handlers have the same name, for example, no one else could close it.
            store.close();
            throw e;
        }
    }

    private @Nullable Gateway gateway(@Nullable Gateway given, boolean listens) {
        if (given == null) {
            return HttpPorts.servesMore(config, listens) ? gateway(config) : null;
        }
        if (HttpPorts.servesMore(config, listens)) {
            throw new MusterException(
                    "gateway.port is set, but this node's gateway is part of the program's own web server;"
                            + " leave gateway.port out");
        }
        return config.node().has(NodeRole.GATEWAY) ? given : null;
    }

    private static @Nullable Gateway gateway(MusterConfig config) {
        return ServiceLoader.load(GatewayProvider.class)
                .findFirst()
                .map(provider -> provider.create(config))
                .orElse(null);
    }

    private static @Nullable CallPort callPort(MusterConfig config) {
        return ServiceLoader.load(GatewayProvider.class)
                .findFirst()
                .map(provider -> provider.createCallPort(config))
                .orElse(null);
    }

    private List<Telemetry> telemetry(NodeSpec given) {
        List<Telemetry> all = new ArrayList<>(given.telemetry);
        if (gateway != null) {
            all.add(gateway.telemetry());
        }
        return all;
    }

    /** An observer does not migrate the tables. */
    private static MusterConfig effective(MusterConfig config) {
        return config.node().observes() && config.database().migrate() == Migrate.AUTO
                ? config.with("database.migrate", "check")
                : config;
    }

    private static String provided(NodeIdentityProvider identity) {
        return Names.requireNodeId(
                "the id that the NodeIdentityProvider " + identity.getClass().getName() + " returned,",
                identity.getNodeId());
    }

    private static <T> T only(Class<T> service, String artifact) {
        return ServiceLoader.load(service)
                .findFirst()
                .orElseThrow(() -> new MusterException(
                        "no " + service.getSimpleName() + " found; add " + artifact + " to the classpath"));
    }

    private static ClusterCoordinator coordinator(MusterConfig config, Store store) {
        return config.worker().wakeup() == Wakeup.NONE ? ClusterCoordinator.none() : store.coordinator();
    }

    public ClientApi api() {
        return api;
    }

    public Store store() {
        return store;
    }

    @Override
    public String nodeId() {
        return nodeId;
    }

    @Override
    public MusterConfig config() {
        return config;
    }

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public TelemetryListeners telemetry() {
        return telemetry;
    }

    @Override
    public JsonCodec json() {
        return json;
    }

    @Override
    public Payloads payloads() {
        return payloads;
    }

    @Override
    public Handlers handlers() {
        return handlers;
    }

    @Override
    public boolean runsJobs(String name) {
        return routedHandlers.runs(name);
    }

    @Override
    public <P> P port(Class<P> type) {
        return store.port(type);
    }

    @Override
    public Connection connection() throws SQLException {
        return store.connection();
    }

    @Override
    public ArgsSource argsSource() {
        return shared(ArgsSource.class, () -> Subsystems.argsSource(this));
    }

    @Override
    public ClusterCoordinator coordinator() {
        return coordinator;
    }

    @Override
    public Jobs jobs() {
        return api.jobs();
    }

    @Override
    public Enqueuer jobsIn(Connection connection, Consumer<Runnable> afterCommit) {
        return api.jobsIn(connection, afterCommit);
    }

    @Override
    public Set<JobId> jobsOf(String tenant, Collection<JobId> ids) {
        return api.jobsOf(tenant, ids);
    }

    @Override
    public int retryWithDependents(JobId id, String tenant) {
        return api.retryWithDependents(id, tenant);
    }

    @Override
    public NewJob check(JobRequest request, boolean complete, @Nullable Connection connection) {
        return api.check(request, complete, connection);
    }

    @Override
    public Locks locks() {
        return api.locks();
    }

    @Override
    public CurrentTransaction currentTransaction() {
        return currentTransaction;
    }

    @Override
    public RateLimits rateLimits() {
        return api.rateLimits();
    }

    @Override
    public <T> T shared(Class<T> type, Supplier<T> create) {
        return type.cast(shared.computeIfAbsent(type, key -> create.get()));
    }

    @Override
    public void registerNodesListener(Runnable listener) {
        nodesListeners.add(listener);
    }

    /** A node has joined, left or changed its status. */
    void nodesChanged() {
        nodesListeners.forEach(Runnable::run);
    }

    @Override
    public StartupCoordinator startupCoordinator() {
        return startupCoordinator != null ? startupCoordinator : new LockStartupCoordinator(locks());
    }
}
