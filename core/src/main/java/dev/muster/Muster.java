package dev.muster;

import dev.muster.access.ApiKeys;
import dev.muster.access.Audit;
import dev.muster.batch.Batches;
import dev.muster.cluster.LeaderInfo;
import dev.muster.cluster.NodeInfo;
import dev.muster.daemon.Daemons;
import dev.muster.function.Functions;
import dev.muster.graph.Graphs;
import dev.muster.internal.assembly.Node;
import dev.muster.internal.assembly.NodeResources;
import dev.muster.internal.daemon.DaemonStore;
import dev.muster.internal.maintenance.MaintenanceStore;
import dev.muster.internal.overview.OverviewReader;
import dev.muster.internal.overview.OverviewStore;
import dev.muster.job.Jobs;
import dev.muster.job.Queues;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.Leadership;
import dev.muster.lock.Locks;
import dev.muster.overview.Overview;
import dev.muster.ratelimit.RateLimits;
import dev.muster.runtime.Health;
import dev.muster.runtime.ObserverRefusal;
import dev.muster.schedule.Crons;
import dev.muster.workflow.Workflows;
import java.util.List;

/**
 * One node of the cluster, and the entry point to everything that it offers: jobs and queues, batches and graphs, workflows, crons, daemons,
 * functions, locks and rate limits.
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

    Muster(NodeResources base) {
        this.base = base;
        this.node = node(base);
    }

    /** If a part cannot be built, nobody else could close the store. */
    private Node node(NodeResources base) {
        try {
            return new Node(base, () -> this);
        } catch (RuntimeException | Error e) {
            base.store().close();
            throw e;
        }
    }

    public static MusterBuilder builder() {
        return new MusterBuilder();
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

    /** The version of Muster itself. */
    public static String version() {
        String packaged = Muster.class.getPackage().getImplementationVersion();
        return packaged == null ? "not packaged" : packaged;
    }

    @Override
    public List<NodeInfo> nodes() {
        return base.store().nodes().list();
    }

    @Override
    public List<LeaderInfo> leaders() {
        return base.store().nodes().listLeaders();
    }

    @Override
    public Overview overview() {
        return new OverviewReader(
                        base.port(OverviewStore.class),
                        base.store().queues(),
                        base.store().nodes(),
                        base.port(DaemonStore.class),
                        base.port(MaintenanceStore.class))
                .read();
    }

    @Override
    public Admin admin() {
        return base.api().api(Admin.class, base.store().admin());
    }

    @Override
    public boolean drainNode(String id) {
        if (base.observes()) {
            throw new ObserverRefusal("drain nodes");
        }
        return base.store().nodes().drain(id);
    }

    /** Brings the tables up to date, checks them, or does nothing, depending on {@code database.migrate}. */
    public void migrate() {
        base.store().migrate();
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
}
