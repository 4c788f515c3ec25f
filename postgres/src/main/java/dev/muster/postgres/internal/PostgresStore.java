package dev.muster.postgres.internal;

import dev.muster.Admin;
import dev.muster.cluster.ClusterCoordinator;
import dev.muster.cluster.ClusterCoordinator.Topic;
import dev.muster.config.DatabaseConfig;
import dev.muster.config.DatabaseConfig.Profile;
import dev.muster.config.DatabaseConfig.WakeInTransaction;
import dev.muster.config.MusterConfig;
import dev.muster.config.WorkerConfig.Wakeup;
import dev.muster.internal.access.ApiKeyStore;
import dev.muster.internal.access.AuditStore;
import dev.muster.internal.access.ClusterKeyStore;
import dev.muster.internal.access.TimeStore;
import dev.muster.internal.batch.BatchStore;
import dev.muster.internal.cluster.NodeStore;
import dev.muster.internal.daemon.DaemonStore;
import dev.muster.internal.event.EventStore;
import dev.muster.internal.function.FunctionNodeStore;
import dev.muster.internal.graph.GraphStore;
import dev.muster.internal.job.store.AdmissionStore;
import dev.muster.internal.job.store.ClaimStore;
import dev.muster.internal.job.store.DependencyStore;
import dev.muster.internal.job.store.JobReader;
import dev.muster.internal.job.store.JobStore;
import dev.muster.internal.job.store.QueueStore;
import dev.muster.internal.job.store.RecoveryStore;
import dev.muster.internal.leader.LeaderStore;
import dev.muster.internal.lock.LockStore;
import dev.muster.internal.maintenance.AgingStore;
import dev.muster.internal.maintenance.MaintenanceStore;
import dev.muster.internal.node.HandlerTransactions;
import dev.muster.internal.overview.LimitUsageStore;
import dev.muster.internal.overview.OverviewStore;
import dev.muster.internal.provider.Store;
import dev.muster.internal.ratelimit.RateLimitStore;
import dev.muster.internal.schedule.CronStore;
import dev.muster.internal.workflow.WorkflowStore;
import dev.muster.postgres.internal.PostgresConnections.NodePool;
import dev.muster.postgres.internal.access.PostgresApiKeyStore;
import dev.muster.postgres.internal.access.PostgresAuditStore;
import dev.muster.postgres.internal.access.PostgresClusterKeyStore;
import dev.muster.postgres.internal.access.PostgresTimeStore;
import dev.muster.postgres.internal.admission.AdmissionOutcomes;
import dev.muster.postgres.internal.admission.PostgresAdmissionStore;
import dev.muster.postgres.internal.batches.PostgresBatchStore;
import dev.muster.postgres.internal.claims.PostgresClaimStore;
import dev.muster.postgres.internal.cluster.LeaderPoll;
import dev.muster.postgres.internal.cluster.PostgresDaemonStore;
import dev.muster.postgres.internal.cluster.PostgresLeaderStore;
import dev.muster.postgres.internal.cluster.PostgresLockStore;
import dev.muster.postgres.internal.cluster.PostgresNodeStore;
import dev.muster.postgres.internal.crons.PostgresCronStore;
import dev.muster.postgres.internal.db.ControlConnection;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.PoolerProbe;
import dev.muster.postgres.internal.db.PostgresHandlerTransactions;
import dev.muster.postgres.internal.db.Readers;
import dev.muster.postgres.internal.db.SqlFiles;
import dev.muster.postgres.internal.events.PostgresEventStore;
import dev.muster.postgres.internal.graphs.PostgresGraphStore;
import dev.muster.postgres.internal.jobs.PostgresDependencyStore;
import dev.muster.postgres.internal.jobs.PostgresJobReader;
import dev.muster.postgres.internal.jobs.PostgresJobStore;
import dev.muster.postgres.internal.jobs.PostgresQueueStore;
import dev.muster.postgres.internal.maintenance.PostgresAgingStore;
import dev.muster.postgres.internal.maintenance.PostgresLimitUsageStore;
import dev.muster.postgres.internal.maintenance.PostgresMaintenanceStore;
import dev.muster.postgres.internal.maintenance.PostgresOverviewStore;
import dev.muster.postgres.internal.ratelimits.PostgresRateLimitStore;
import dev.muster.postgres.internal.recovery.PostgresRecoveryStore;
import dev.muster.postgres.internal.recovery.SweepFloors;
import dev.muster.postgres.internal.schema.Migrations;
import dev.muster.postgres.internal.wakeup.PostgresCoordinator;
import dev.muster.postgres.internal.workflows.PostgresWorkflowStore;
import dev.muster.postgres.internal.workflows.RunOutcomes;
import dev.muster.runtime.Clock;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The store in one PostgreSQL schema. */
public final class PostgresStore implements Store {
    /** The payload that the trigger on muster_nodes sends on the wake-up channel. */
    private static final String NODES_CHANGED = "nodes";

    private static final Logger log = LoggerFactory.getLogger(PostgresStore.class);

    private final Database database;
    private final Readers readers;
    private final Migrations migrations;
    private final DatabaseConfig.Migrate mode;
    private final PostgresJobStore jobs;
    private final PostgresJobReader jobReader;
    private final PostgresClaimStore claims;
    private final PostgresDependencyStore dependencies;
    private final PostgresGraphStore graphs;
    private final PostgresBatchStore batches;
    private final PostgresAdmissionStore admission;
    private final PostgresRecoveryStore recovery;
    private final PostgresNodeStore nodes;
    private final PostgresQueueStore queues;
    private final PostgresLeaderStore leaders;
    private final DataSource controlSource;
    private final boolean portable;
    private final SweepFloors floors = new SweepFloors();
    private final Map<Class<?>, Object> ports = new HashMap<>();
    private final ControlConnection control;
    private final PostgresCoordinator coordinator;
    private final Runnable evictIdle;
    private final Runnable onClose;
    private volatile Events events = Events.ignored();
    private boolean wasConnected;
    private volatile boolean connected;

    /** Uses the program's pool. */
    public PostgresStore(DataSource pool, MusterConfig config) {
        this(pool, pool, config);
    }

    /**
     * Uses the program's pool, and for the control connection a source of its own, so that the pool gets all of its connections
     * back.
     */
    public PostgresStore(DataSource pool, DataSource control, MusterConfig config) {
        this(pool, control, false, () -> {}, () -> {}, config, UnaryOperator.identity());
    }

    /** @param change applied to every statement, so that a test can shorten a time limit */
    PostgresStore(DataSource pool, MusterConfig config, UnaryOperator<String> change) {
        this(pool, pool, false, () -> {}, () -> {}, config, change);
    }

    /**
     * @param pool where job statements get their connections
     * @param control where the one control connection comes from; may be the pool
     * @param ownPool whether this store has opened the pool, to the same address as the control connection
     * @param evictIdle makes the pool drop idle connections, which may lead to an old server
     * @param onClose closes what was opened for this store
     */
    private PostgresStore(
            DataSource pool,
            DataSource control,
            boolean ownPool,
            Runnable evictIdle,
            Runnable onClose,
            MusterConfig config,
            UnaryOperator<String> change) {
        Clock clock = Clock.system();
        this.controlSource = control;
        this.portable = config.database().profile() == Profile.PORTABLE;
        this.database = new Database(
                pool,
                new SqlFiles(config.database().schema(), change),
                portable,
                () -> ownPool && !portable && !PoolerProbe.mayBePooler(control));
        Replica replica = Replica.of(config.database(), database, portable);
        this.readers = replica == null ? Readers.onPrimary(database) : replica.readers();
        boolean listens = config.worker().wakeup() == Wakeup.POSTGRES;
        String channel = listens ? PostgresCoordinator.channelOf(database.schema()) : null;
        this.evictIdle = evictIdle;
        this.onClose = replica == null
                ? onClose
                : () -> {
                    replica.close().run();
                    onClose.run();
                };
        this.mode = config.database().migrate();
        this.migrations = new Migrations(database, portable);
        this.control = new ControlConnection(
                control, channel, portable, database.timeline(), LeaderPoll.FINDER, this::received, this::connected);
        database.ask(this.control);
        database.lookElsewhereIfSilent(() -> !connected, this::lookElsewhere);
        database.use(this.control);
        this.coordinator = new PostgresCoordinator(
                database,
                config.database().wakeInTransaction() == WakeInTransaction.AUTO,
                () -> listens && this.control.isConnected(),
                clock);
        this.batches = new PostgresBatchStore(database, readers, coordinator, clock);
        this.admission = new PostgresAdmissionStore(
                database,
                config.database().wakeInTransaction() == WakeInTransaction.AUTO,
                coordinator::notifyNewWork,
                clock);
        this.graphs = new PostgresGraphStore(database, readers, admission, clock);
        this.dependencies = new PostgresDependencyStore(database, floors.waiting(), graphs, batches, admission, clock);
        this.jobs = new PostgresJobStore(database, dependencies, admission, clock);
        this.jobReader = new PostgresJobReader(database, readers);
        this.claims = new PostgresClaimStore(
                database,
                this.control,
                List.of(new RunOutcomes(database), new AdmissionOutcomes(database)),
                admission,
                clock);
        this.recovery = new PostgresRecoveryStore(database, floors);
        this.nodes = new PostgresNodeStore(database, readers, this.control, floors, admission.floor());
        this.queues = new PostgresQueueStore(database, readers);
        this.leaders = new PostgresLeaderStore(database, this.control, portable);
        try {
            openPorts(clock);
        } catch (RuntimeException | Error e) {
            if (replica != null) {
                replica.close().run();
            }
            throw e;
        }
    }

    /** Opens the ports to the tables of all subsystems. */
    private void openPorts(Clock clock) {
        ports.put(CronStore.class, new PostgresCronStore(database, readers));
        ports.put(DaemonStore.class, new PostgresDaemonStore(database, readers, control));
        ports.put(LockStore.class, new PostgresLockStore(database, readers));
        ports.put(MaintenanceStore.class, new PostgresMaintenanceStore(database, readers));
        ports.put(OverviewStore.class, new PostgresOverviewStore(database, readers));
        ports.put(LimitUsageStore.class, new PostgresLimitUsageStore(database, readers));
        ports.put(AgingStore.class, new PostgresAgingStore(database));
        ports.put(WorkflowStore.class, new PostgresWorkflowStore(database, readers, control, clock));
        ports.put(GraphStore.class, graphs);
        ports.put(BatchStore.class, batches);
        ports.put(AdmissionStore.class, admission);
        ports.put(HandlerTransactions.class, new PostgresHandlerTransactions(database));
        ports.put(RateLimitStore.class, new PostgresRateLimitStore(database));
        PostgresAuditStore audit = new PostgresAuditStore(database, readers);
        ports.put(AuditStore.class, audit);
        ports.put(ApiKeyStore.class, new PostgresApiKeyStore(database, readers, audit));
        ports.put(ClusterKeyStore.class, new PostgresClusterKeyStore(database));
        ports.put(FunctionNodeStore.class, (FunctionNodeStore) nodes::listWithFunctions);
        ports.put(TimeStore.class, new PostgresTimeStore(database));
        ports.put(EventStore.class, new PostgresEventStore(database, readers, queues));
        for (PostgresPort<?> port : ServiceLoader.load(PostgresPort.class)) {
            if (ports.put(port.type(), port.open(new PostgresPort.Context(database, readers, control))) != null) {
                throw new MusterException("there are two ports " + port.type().getName() + "; one of them is opened by "
                        + port.getClass().getName());
            }
        }
    }

    /** Opens {@code database.url}: a pool for jobs, and the control connection outside it. */
    public static PostgresStore open(MusterConfig config) {
        String url = config.database()
                .url()
                .orElseThrow(() -> new MusterException(
                        "no database: hand a DataSource to the builder, or set database.url (MUSTER_DATABASE_URL)"));
        requireHikari("database.url");
        PostgresConnections connections = new PostgresConnections(url, config.database());
        NodePool pool = connections.nodePool(config.database().poolSize());
        try {
            return new PostgresStore(
                    pool.dataSource(),
                    connections.source(),
                    true,
                    pool.evictIdle(),
                    pool.close(),
                    config,
                    UnaryOperator.identity());
        } catch (RuntimeException e) {
            pool.close().run();
            throw e;
        }
    }

    /**
     * Connections to the server that {@code database.read_url} names.
     *
     * @param close closes them
     */
    private record Replica(Readers readers, Runnable close) {
        static @Nullable Replica of(DatabaseConfig config, Database primary, boolean portable) {
            if (config.readUrl().isEmpty()) {
                return null;
            }
            requireHikari("database.read_url");
            PostgresConnections connections =
                    PostgresConnections.ofReplica(config.readUrl().get(), config);
            NodePool pool = connections.readPool();
            Database database = Database.ofReplica(pool.dataSource(), new SqlFiles(primary.schema()), portable);
            return new Replica(Readers.onReplica(database, connections.address(), primary), pool.close());
        }
    }

    private static void requireHikari(String setting) {
        try {
            Class.forName("com.zaxxer.hikari.HikariDataSource", false, PostgresStore.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new MusterException(
                    setting + " needs a pool of connections, and HikariCP is not on the classpath: add"
                            + " com.zaxxer:HikariCP, or hand a DataSource of your own to the builder",
                    e);
        }
    }

    private void received(String payload) {
        if (payload.equals(NODES_CHANGED)) {
            events.nodesChanged();
            coordinator.changed(Topic.NODES);
            return;
        }
        if (payload.startsWith(PostgresDependencyStore.WAITS_AGAIN)) {
            dependencies.waitsAgain(payload);
            return;
        }
        if (payload.startsWith(PostgresAdmissionStore.PUT_IN_GROUP)) {
            admission.putInGroup(payload);
            return;
        }
        if (PostgresLeaderStore.concerns(payload)) {
            leaders.vacancy();
            coordinator.changed(Topic.LEADERS);
            return;
        }
        coordinator.received(payload);
        if (payload.isEmpty()) {
            leaders.vacancy();
        }
    }

    /** A call has been waiting for seconds, and there is no control connection that would notice why. */
    private void lookElsewhere() {
        long asked = System.nanoTime();
        long before = database.timeline().newest();
        try {
            control.tryLogin();
            if (before > 0 && database.timeline().newest() > before) {
                // The same address leads to another server than before.
                database.abortUsedSinceBefore(asked);
                evictIdle.run();
            }
        } catch (SQLException | MusterException e) {
            log.debug("there is no other server either", e);
        }
    }

    private void connected() {
        if (wasConnected) {
            // These connections may lead to the server that the control connection has lost.
            database.abortUsedSinceBefore(control.brokeAt());
            evictIdle.run();
        }
        coordinator.reconnected();
        leaders.vacancy();
        if (wasConnected) {
            events.reconnected();
            events.nodesChanged();
        }
        wasConnected = true;
    }

    @Override
    public JobStore jobs() {
        return jobs;
    }

    @Override
    public JobReader jobReader() {
        return jobReader;
    }

    @Override
    public ClaimStore claims() {
        return claims;
    }

    @Override
    public DependencyStore dependencies() {
        return dependencies;
    }

    @Override
    public RecoveryStore recovery() {
        return recovery;
    }

    @Override
    public NodeStore nodes() {
        return nodes;
    }

    @Override
    public QueueStore queues() {
        return queues;
    }

    @Override
    public LeaderStore leaders() {
        return leaders;
    }

    @Override
    public <P> P port(Class<P> type) {
        Object port = ports.get(type);
        if (port == null) {
            throw new MusterException("the PostgreSQL store has no port " + type.getName());
        }
        return type.cast(port);
    }

    SweepFloors floors() {
        return floors;
    }

    @Override
    public Connection connection() throws SQLException {
        return database.connection();
    }

    @Override
    public Admin admin() {
        return new PostgresAdmin(
                database,
                readers,
                nodes,
                port(MaintenanceStore.class),
                port(LimitUsageStore.class),
                migrations,
                this::migrateUp);
    }

    @Override
    public ClusterCoordinator coordinator() {
        return coordinator;
    }

    @Override
    public boolean isReachable() {
        return control.answers();
    }

    @Override
    public void failFast(boolean failFast) {
        database.refuseWhile(failFast ? () -> !control.answers() : () -> false);
    }

    @Override
    public int connections() {
        return database.inUse() + (control.isConnected() ? 1 : 0);
    }

    @Override
    public synchronized void connect(Events listener) {
        if (!connected) {
            if (!portable) {
                PoolerProbe.refusePooler(controlSource);
            }
            connected = true;
            database.leaveSilenceToNode();
            events = listener;
            control.start();
            coordinator.start();
        }
    }

    @Override
    public void migrate() {
        switch (mode) {
            case AUTO -> migrateUp();
            case CHECK -> migrations.check();
            case OFF -> {}
        }
    }

    @Override
    public List<String> pendingMigrations() {
        return migrations.pending();
    }

    /** Applies the missing migrations, whatever {@code database.migrate} is set to, and returns their names. */
    public List<String> migrateUp() {
        if (!portable && !migrations.pending().isEmpty()) {
            PoolerProbe.refusePooler(controlSource);
        }
        return migrations.up();
    }

    @Override
    public synchronized void close() {
        database.stopLooking();
        try {
            coordinator.stop();
            if (connected) {
                connected = false;
                control.stop();
            }
        } finally {
            onClose.run();
        }
    }
}
