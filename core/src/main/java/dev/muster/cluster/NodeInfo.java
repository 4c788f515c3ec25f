package dev.muster.cluster;

import dev.muster.config.NodeRole;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * A node as its row says.
 *
 * @param status the status in its row
 * @param apparentStatus the status that follows from its last heartbeat, its own interval and the cluster's thresholds, as in
 *     the view {@code muster_cluster}: dead as soon as the node is overdue, whether or not another node has declared it dead
 * @param address where other nodes reach it
 * @param labels keys and values for people, from {@code node.labels}, sorted by key
 * @param currentConnections connections it had in use at its last heartbeat
 * @param cpuUsage share of the machine's CPU used by its process, 0 to 1
 * @param memoryUsage bytes of heap in use
 * @param functions the queries and mutations that it runs, by name; none if it does not have the role {@code function}
 * @param executors what it runs its jobs on, {@code default} first
 * @param unrouted the names of handlers that it has and does not use, because routing sends their jobs to no executor
 * @param version the version of its application
 */
public record NodeInfo(
        String id,
        UUID incarnation,
        Optional<String> name,
        NodeStatus status,
        NodeStatus apparentStatus,
        Set<NodeRole> roles,
        Optional<String> address,
        Instant startedAt,
        Instant lastHeartbeat,
        Duration heartbeatAge,
        Duration heartbeatInterval,
        Optional<List<String>> queues,
        List<String> capabilities,
        Map<String, String> labels,
        List<String> handlers,
        List<PublishedFunction> functions,
        List<ExecutorInfo> executors,
        List<String> unrouted,
        int currentConnections,
        int currentJobs,
        double cpuUsage,
        long memoryUsage,
        Optional<String> version) {

    /** Whether its last heartbeat is recent enough for its own interval. */
    public boolean isAlive() {
        return apparentStatus != NodeStatus.DEAD;
    }

    /** Whether it runs jobs. */
    public boolean hasHandlers() {
        return !handlers.isEmpty();
    }
}
