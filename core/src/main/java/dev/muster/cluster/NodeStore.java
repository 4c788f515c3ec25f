package dev.muster.cluster;

import dev.muster.config.NodeRole;
import dev.muster.job.HandlerDirectory;
import dev.muster.job.JobHandler;
import dev.muster.job.JobStore.Recovered;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
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
     * @return empty if it joins again and another process has taken the id
     */
    Optional<Joined> join(Registration node, NodeStatus status, @Nullable UUID previous);

    /**
     * Says that the node is alive, and how long it may be silent from now on.
     *
     * @param interval the longest time until the next heartbeat
     */
    Pulse heartbeat(String id, UUID incarnation, Load load, Duration interval);

    /** Moves the node from one status to another; false if it was not there. */
    boolean move(String id, UUID incarnation, Set<NodeStatus> from, NodeStatus to);

    void leave(String id, UUID incarnation);

    /** Asks a node to finish and leave, as an operator would with an UPDATE; false if there is no such live node. */
    boolean drain(String id);

    List<NodeInfo> list();

    /** The leaders, as their rows say. */
    List<LeaderInfo> leaders();

    /**
     * What there is to do for whoever keeps the cluster in order. One statement, on the control connection.
     *
     * @param judge the node that asks; it does not judge itself
     * @param everything whether to look for leases that ran out long ago too
     */
    Agenda agenda(String judge, Patience patience, boolean everything);

    /**
     * Marks silent nodes stale or dead, releases the claims of those now dead, and removes the rows of those long dead.
     *
     * @param tx the transaction in which all of this happens
     */
    Judgement judge(Connection tx, String judge, Patience patience) throws SQLException;

    /** What a node says about itself when it joins. */
    record Registration(
            String id,
            UUID incarnation,
            @Nullable String name,
            Set<NodeRole> roles,
            @Nullable String address,
            @Nullable Set<String> queues,
            Set<String> capabilities,
            Collection<JobHandler> handlers,
            Duration heartbeatInterval,
            Duration lease,
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
                    handlers,
                    heartbeatInterval,
                    lease,
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
     */
    record Joined(@Nullable Duration predecessor, List<Recovered> released) {}

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

    /** How long a silence makes a node stale and dead, unless three of its own intervals are longer. */
    record Patience(Duration stale, Duration dead) {}

    /**
     * What is to be done.
     *
     * @param nodes some node is to be marked or removed
     * @param nextOverdue when the next node is overdue if it stays silent; empty: never
     * @param leases some lease ran out
     * @param expired some job nobody claimed in time
     * @param waiting some job waits for others
     */
    record Agenda(boolean nodes, Optional<Duration> nextOverdue, boolean leases, boolean expired, boolean waiting) {}

    /** Who was marked, and what was taken from the dead. */
    record Judgement(List<Marked> marked, List<Recovered> released, List<String> removed) {}

    /** A node whose status has changed in the eyes of the others. */
    record Marked(String id, UUID incarnation, NodeStatus before, NodeStatus now, Duration silence) {}
}
