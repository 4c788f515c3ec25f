package dev.muster;

import dev.muster.access.ApiKeys;
import dev.muster.access.Audit;
import dev.muster.batch.Batches;
import dev.muster.cluster.LeaderInfo;
import dev.muster.cluster.NodeInfo;
import dev.muster.daemon.Daemons;
import dev.muster.function.Functions;
import dev.muster.graph.Graphs;
import dev.muster.job.Jobs;
import dev.muster.job.Queues;
import dev.muster.lock.Locks;
import dev.muster.overview.Overview;
import dev.muster.runtime.Writes;
import dev.muster.schedule.Crons;
import dev.muster.workflow.Workflows;
import java.util.List;

/**
 * What programs and tools use of a cluster, wherever they run. {@link Muster} implements it in a process that reaches the database, and
 * {@code MusterClient} over HTTP. A client refuses what needs a connection to the database, such as {@link Jobs#in}.
 */
public interface ClusterApi {

    Jobs jobs();

    Queues queues();

    Crons crons();

    Daemons daemons();

    Workflows workflows();

    Graphs graphs();

    /** Jobs that belong together, with a job that runs when they have ended. */
    Batches batches();

    /** The queries and mutations that were registered with the node that answers. */
    Functions functions();

    /** Named locks for the whole cluster. */
    Locks locks();

    /** The keys with which callers reach the gateway. */
    ApiKeys apiKeys();

    /** Who did what to the cluster. */
    Audit audit();

    /** The nodes of the cluster, as their rows say. */
    List<NodeInfo> nodes();

    /** The leaders of the cluster, as their rows say. */
    List<LeaderInfo> leaders();

    /** The cluster at a glance, and what in it needs attention. */
    Overview overview();

    /** What operators and their tools ask about the cluster and its tables. */
    Admin admin();

    /**
     * Tells a node of the cluster to finish its work and leave, as {@code UPDATE muster_nodes SET status = 'draining'} does.
     *
     * @return false if no live node has this id
     */
    @Writes("drain nodes")
    boolean drainNode(String id);
}
