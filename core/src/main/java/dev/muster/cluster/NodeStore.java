package dev.muster.cluster;

import dev.muster.cluster.DatabaseContact.SinceLastHeartbeat;
import dev.muster.config.ClusterConfig;
import dev.muster.config.NodeRole;
import dev.muster.job.JobHandler;
import dev.muster.job.store.HandlerDirectory;
import dev.muster.job.store.JobStore.Recovered;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The port to the node table. Every write of a node about itself names its incarnation and changes nothing if it is not
 * the row's.
 */
public interface NodeStore extends HandlerDirectory {

    /**
     * Adds the node's row, or takes over the one with its id, and in the same transaction releases the claims that the
     * row's earlier incarnation held.
     *
     * @param previous the incarnation this process had before, if it joins again: then only its own row is taken over,
     *     and no crash is charged, since its handlers were stopped in order; null for a new process
     * @param firstAsked when it first asked to join and was refused because of other workers, by the database's clock; null
     *     if it was not refused yet: then the others are asked for a sign of life
     * @return empty if it joins again and another process has taken the id
     * @throws OtherWorkers if it may not join beside the workers there are
     */
    Optional<Joined> join(Registration node, NodeStatus status, @Nullable UUID previous, @Nullable Instant firstAsked);

    /**
     * Says that the node is alive, and how long it may be silent from now on.
     *
     * @param interval the longest time until the next heartbeat
     * @param since what the node knows about the time since its last one
     */
    Pulse heartbeat(String id, UUID incarnation, Load load, Duration interval, SinceLastHeartbeat since);

    /** Moves the node from one status to another; false if it was not there. */
    boolean move(String id, UUID incarnation, Set<NodeStatus> from, NodeStatus to);

    /**
     * Removes the node's row, and in the same transaction gives back what it still holds: nothing is charged, but a job
     * that was running and may run only once ends.
     *
     * @return what it still held; nothing if the row is no longer this incarnation's
     */
    List<Recovered> leave(String id, UUID incarnation);

    /** Asks a node to finish and leave, as an operator would with an UPDATE; false if there is no such live node. */
    boolean drain(String id);

    List<NodeInfo> list();

    /** The leaders, as their rows say. */
    List<LeaderInfo> leaders();

    /**
     * What there is to do for whoever keeps the cluster in order. One statement, on the control connection, which takes the
     * same time however many dead rows the tables have.
     *
     * @param judge the node that asks; it does not judge itself
     */
    Agenda agenda(String judge, Patience patience);

    /**
     * Marks a node stale, dead or active again, if it still is overdue, and releases its claims if it is now dead. A judge
     * that was not heard of just now itself marks nobody.
     *
     * @param tx the transaction in which all of this happens
     */
    Judgement judge(Connection tx, String judge, Patience patience, String node) throws SQLException;

    /** Removes the rows of nodes that have been dead for an hour, and returns their ids. */
    List<String> bury(Connection tx) throws SQLException;

    /**
     * What a node says about itself when it joins.
     *
     * @param claiming {@code worker.claiming}: false for a worker beside which there may be no other
     * @param patience how long nodes may be silent before this one takes them for dead; kept in the database, for everything
     *     that asks who is alive
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
            Patience patience,
            String nodeInfo) {

        /** The same node, joining again. */
        Registration as(UUID newIncarnation) {
            return new Registration(
                    id,
                    newIncarnation,
                    name,
                    roles,
                    address,
                    queues,
                    capabilities,
                    labels,
                    handlers,
                    heartbeatInterval,
                    lease,
                    claiming,
                    patience,
                    nodeInfo);
        }
    }

    /**
     * What a node reports with each heartbeat: connections in use, jobs on it, share of CPU used by its process, bytes of
     * heap in use.
     */
    record Load(int connections, int jobs, double cpu, long memory) {}

    /**
     * How a node came in.
     *
     * @param predecessor how long ago the incarnation was heard of whose row was taken over; null: there was none
     * @param released the claims that were taken from it
     * @param status what its row says now: draining if an operator had asked for that before it was declared dead
     */
    record Joined(@Nullable Duration predecessor, List<Recovered> released, NodeStatus status) {}

    /** The answer to a heartbeat. */
    record Pulse(Standing standing, NodeStatus status, String members) {

        /** Whose the row is. */
        public enum Standing {
            /** The node's own, and it lives. */
            OWN,
            /** The node was declared dead, or its row is gone: it has to join again. */
            DEAD,
            /** Another process's. */
            TAKEN
        }
    }

    /**
     * How long a silence makes a node stale and dead, unless three of its own intervals are longer.
     *
     * @param fresh how old the judge's own heartbeat may be
     */
    record Patience(Duration stale, Duration dead, Duration fresh) {

        /**
         * Others that keep their intervals are heard of within the dead threshold even if the clock was set forward since
         * the judge's heartbeat without anybody knowing: an interval is at most a third of the threshold.
         */
        public static Patience of(ClusterConfig config) {
            Duration half = config.heartbeatInterval().dividedBy(2);
            Duration late = half.compareTo(Duration.ofSeconds(2)) < 0 ? half : Duration.ofSeconds(2);
            return new Patience(
                    config.staleThreshold(),
                    config.deadThreshold(),
                    config.heartbeatInterval().plus(late));
        }
    }

    /**
     * What is to be done.
     *
     * @param overdue nodes to be marked, by whoever may
     * @param bury some node has been dead for long
     * @param nextOverdue when the next node is overdue if it stays silent; empty: never
     * @param inTouch for how long the database is known to have been available; empty: the judge was not heard of just now
     *     itself, and may not judge
     * @param leases some lease ran out
     * @param expired some job nobody claimed in time
     * @param waiting some job waits for others
     */
    record Agenda(
            List<String> overdue,
            boolean bury,
            Optional<Duration> nextOverdue,
            Optional<Duration> inTouch,
            boolean leases,
            boolean expired,
            boolean waiting) {}

    /**
     * What became of a node that was overdue.
     *
     * @param marked empty: it was not overdue any more, or someone else marked it
     * @param released what was taken from it if it is now dead
     */
    record Judgement(Optional<Marked> marked, List<Recovered> released) {}

    /** A node whose status has changed in the eyes of the others. */
    record Marked(String id, UUID incarnation, NodeStatus before, NodeStatus now, Duration silence) {}
}
