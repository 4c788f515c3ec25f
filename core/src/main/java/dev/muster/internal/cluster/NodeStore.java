package dev.muster.internal.cluster;

import dev.muster.cluster.ExecutorInfo;
import dev.muster.cluster.LeaderInfo;
import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeLoad;
import dev.muster.cluster.NodeStatus;
import dev.muster.cluster.PublishedFunction;
import dev.muster.config.ClusterConfig;
import dev.muster.config.NodeRole;
import dev.muster.internal.cluster.DatabaseContact.SinceLastHeartbeat;
import dev.muster.internal.job.store.HandlerDirectory;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.job.JobHandler;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The port to the node table. When a node writes its own row, it names its incarnation; if the row has another incarnation,
 * the write changes nothing.
 */
public interface NodeStore extends HandlerDirectory {

    /**
     * Adds the node's row, or takes over the existing row with its id. The same transaction releases the claims of the row's
     * earlier incarnation.
     *
     * @param previous the incarnation this process had before, if it joins again: it then takes over only its own row, and its
     *     jobs are charged no crash, because it has stopped their handlers; null for a new process
     * @param firstAsked when the node was first refused because of other workers, by the database's clock; null if it was not
     *     refused yet: in that case the others are asked for a heartbeat
     * @return empty if the node joins again and another process has taken its id
     * @throws OtherWorkers if the node may not join beside the existing workers
     */
    Optional<Joined> join(Registration node, NodeStatus status, @Nullable UUID previous, @Nullable Instant firstAsked);

    /**
     * Records that the node is alive, and for how long it may be silent from now on.
     *
     * @param interval the longest time until the next heartbeat
     * @param since what the node knows about the time since its last heartbeat
     */
    HeartbeatAnswer heartbeat(String id, UUID incarnation, NodeLoad load, Duration interval, SinceLastHeartbeat since);

    /** Changes the node's status to another one; false if its status is not in {@code from}. */
    boolean move(String id, UUID incarnation, Set<NodeStatus> from, NodeStatus to);

    /**
     * Removes the node's row, and releases the claims it still holds in the same transaction. No job is charged an attempt or
     * a crash, but a running job that may run only once ends.
     *
     * @return the claims it still held; none if the row belongs to another incarnation
     */
    List<Recovered> leave(String id, UUID incarnation);

    /** Tells a node to finish its work and leave, as an operator can with an UPDATE; false if no such node is alive. */
    boolean drain(String id);

    List<NodeInfo> list();

    /** Who leads, for a node that has to know. */
    List<LeaderInfo> leaders();

    /** Who leads, for people: {@code database.read_url} may name a server that is a little behind. */
    List<LeaderInfo> listLeaders();

    /**
     * What the node on recovery duty has to do. This is one statement on the control connection, which takes the same time
     * however many dead tuples the tables have.
     *
     * @param observer the node that asks; it does not judge itself
     */
    OverdueWork overdueWork(String observer, SilenceLimits limits);

    /**
     * Marks a node stale, dead or active again, if that is still due, and releases its claims if it is now dead. If the judging
     * node's own last heartbeat is too old, no node is marked.
     *
     * @param tx the transaction in which all of this happens
     */
    OverdueNode markOverdue(Connection tx, String observer, SilenceLimits limits, String node) throws SQLException;

    /** Removes the rows of nodes that have been dead for an hour, and returns their ids. */
    List<String> removeDead(Connection tx) throws SQLException;

    /**
     * What a node says about itself when it joins.
     *
     * @param claiming {@code worker.claiming}: false for a worker that must be the only one
     * @param patience how long nodes may be silent before they are stale or dead; stored in the database, where every statement
     *     that asks who is alive reads it
     * @param version the version of its application; null if not known
     * @param routes what it runs the jobs of its handlers on
     * @param functions the queries and mutations that it runs
     */
    record Registration(
            String id,
            UUID incarnation,
            @Nullable String name,
            Set<NodeRole> roles,
            @Nullable String address,
            @Nullable Set<String> queues,
            Set<String> capabilities,
            Map<String, String> labels,
            Collection<JobHandler> handlers,
            Duration heartbeatInterval,
            Duration lease,
            boolean claiming,
            SilenceLimits limits,
            String nodeInfo,
            @Nullable String version,
            Routes routes,
            List<PublishedFunction> functions) {

        public Registration {
            functions = List.copyOf(functions);
        }

        /** The same node at another address. */
        Registration at(@Nullable String newAddress) {
            return with(incarnation, newAddress);
        }

        /** The same node with a new incarnation, for joining again. */
        Registration as(UUID newIncarnation) {
            return with(newIncarnation, address);
        }

        private Registration with(UUID newIncarnation, @Nullable String newAddress) {
            return new Registration(
                    id,
                    newIncarnation,
                    name,
                    roles,
                    newAddress,
                    queues,
                    capabilities,
                    labels,
                    handlers,
                    heartbeatInterval,
                    lease,
                    claiming,
                    limits,
                    nodeInfo,
                    version,
                    routes,
                    functions);
        }
    }

    /**
     * What a node runs its jobs on.
     *
     * @param executorOf the name of the executor of each handler
     * @param unrouted the names of handlers that it does not run, because routing sends them to no executor
     */
    record Routes(List<ExecutorInfo> executors, Map<String, String> executorOf, List<String> unrouted) {
        /** The routes of a node that runs no jobs. */
        public static final Routes NONE = new Routes(List.of(), Map.of(), List.of());

        public Routes {
            executors = List.copyOf(executors);
            executorOf = Map.copyOf(executorOf);
            unrouted = List.copyOf(unrouted);
        }
    }

    /**
     * How a node joined.
     *
     * @param predecessor the age of the last heartbeat of the incarnation whose row was taken over; null if there was none
     * @param released the claims that were taken from that incarnation
     * @param status the status in the row now: draining if an operator had asked for it before the node was declared dead
     */
    record Joined(@Nullable Duration predecessor, List<Recovered> released, NodeStatus status) {}

    /** The answer to a heartbeat. */
    record HeartbeatAnswer(RowState rowState, NodeStatus status, String members) {

        /** To whom the row belongs. */
        public enum RowState {
            /** The row belongs to this node, which is alive. */
            OWN,
            /** The node was declared dead, or its row is gone: it has to join again. */
            DEAD,
            /** The row belongs to another process. */
            TAKEN
        }
    }

    /**
     * After which silence a node is stale or dead, unless two or three of its own intervals are longer.
     *
     * @param fresh how old the judging node's own heartbeat may be
     */
    record SilenceLimits(Duration stale, Duration dead, Duration fresh) {

        /**
         * Nodes that keep their intervals stay within the dead threshold even if the clock was set forward since the judging
         * node's heartbeat and no node has noticed: an interval is at most a third of the threshold.
         */
        public static SilenceLimits of(ClusterConfig config) {
            Duration half = config.heartbeatInterval().dividedBy(2);
            Duration late = half.compareTo(Duration.ofSeconds(2)) < 0 ? half : Duration.ofSeconds(2);
            return new SilenceLimits(
                    config.staleThreshold(),
                    config.deadThreshold(),
                    config.heartbeatInterval().plus(late));
        }
    }

    /**
     * What recovery has to do.
     *
     * @param overdue the nodes to be marked
     * @param nextOverdue when the next node is overdue if it stays silent; empty if none can be
     * @param inTouch for how long the database is known to have been available; empty if the asking node's own heartbeat is too
     *     old, so that it may not judge
     * @param duties what else is due
     * @param asked the time of the database's clock for which all this holds
     */
    record OverdueWork(
            List<String> overdue,
            Optional<Duration> nextOverdue,
            Optional<Duration> inTouch,
            Set<Duty> duties,
            Instant asked) {
        public boolean isDue(Duty duty) {
            return duties.contains(duty);
        }
    }

    /** Something that whoever keeps the cluster in order does when there is a reason. */
    enum Duty {
        /** Rows of nodes that died long ago can be removed. */
        REMOVE_DEAD_NODES,
        /** A lease ran out. */
        RECOVER_LEASES,
        /** A job was not claimed in time. */
        EXPIRE_JOBS,
        /** A job waits for others. */
        RESOLVE_WAITING,
        /** There are live runs of workflows: their drivers, and the nodes that can resume them, have to be checked. */
        CHECK_RUNS,
        /** There are live graphs: tasks whose end was missed have to be found. */
        CHECK_GRAPHS,
        /** There are sealed batches: those whose jobs have ended have to be closed. */
        CHECK_BATCHES,
        /** There are groups: jobs that somebody forgot to admit have to be found. */
        CHECK_ADMISSION;

        /** The name in the database. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** The duty of this name; empty if a later version has added it. */
        public static Optional<Duty> named(String text) {
            return Arrays.stream(values())
                    .filter(duty -> duty.text().equals(text))
                    .findFirst();
        }
    }

    /**
     * What became of a node that was overdue.
     *
     * @param marked empty if the node was no longer overdue, or another node has marked it
     * @param released the claims that were taken from it, if it is now dead
     */
    record OverdueNode(Optional<MarkedNode> marked, List<Recovered> released) {}

    /** A node whose status was changed by another node. */
    record MarkedNode(String id, UUID incarnation, NodeStatus before, NodeStatus now, Duration silence) {}
}
