package dev.muster;

import dev.muster.cluster.NodeIdentityProvider;
import dev.muster.config.DatabaseConfig.Migrate;
import dev.muster.config.MusterConfig;
import dev.muster.config.WorkerConfig.Wakeup;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobRegistry;
import dev.muster.job.TransactionScope;
import dev.muster.job.internal.Listeners;
import dev.muster.job.payload.Payloads;
import dev.muster.job.store.WorkSignal;
import dev.muster.lock.StartupCoordinator;
import dev.muster.runtime.Clock;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.Names;
import dev.muster.wakeup.ClusterCoordinator;
import dev.muster.wakeup.ClusterCoordinator.Topic;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * What all parts of a node share: its id, what the builder was given, and defaults for the rest. The constructor opens the store;
 * its caller closes it.
 */
final class NodeContext {
    final MusterConfig config;
    final String nodeId;
    final Clock clock;
    final Store store;
    final JsonCodec json;
    final Payloads payloads;
    final Handlers handlers;
    final JobRegistry registry;
    final List<JobInterceptor> interceptors;
    final Listeners listeners;
    final TransactionScope transactionScope;
    final @Nullable StartupCoordinator startupCoordinator;
    final ClusterCoordinator coordinator;
    final WorkSignal signal;
    final boolean unelected;
    final boolean listens;

    NodeContext(Muster.Builder given) {
        this.config = effective(given.settings.read());
        this.nodeId = config.node().id().orElseGet(() -> provided(given.identity));
        this.clock = given.clock;
        this.json = given.json != null ? given.json : only(JsonCodec.class, "muster-json-jackson3");
        this.payloads = Payloads.of(given.cipher, config.encryption());
        this.handlers = new Handlers(given.handlers, given.crons, given.daemons);
        this.store = only(StoreProvider.class, "muster-postgres").open(given.dataSource, config);
        this.registry = registry(handlers, store);
        this.interceptors = List.copyOf(given.interceptors);
        this.listeners = new Listeners(given.listeners, clock);
        this.transactionScope = given.transactionScope;
        this.startupCoordinator = given.startupCoordinator;
        this.coordinator = given.coordinator != null ? given.coordinator : coordinator(config, store);
        this.signal = new CoordinatorWorkSignal(coordinator);
        this.unelected = given.unelected;
        this.listens = given.listens;
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

    /** Closes the store if two handlers have the same name, because no one else could. */
    private static JobRegistry registry(Handlers handlers, Store store) {
        try {
            return new JobRegistry(handlers.allJobs(store::connection));
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
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

    /** Tells all nodes that crons have changed. */
    void cronsChanged() {
        coordinator.notifyChange(Topic.CRONS);
    }

    /** Tells all nodes that daemons have changed. */
    void daemonsChanged() {
        coordinator.notifyChange(Topic.DAEMONS);
    }
}
