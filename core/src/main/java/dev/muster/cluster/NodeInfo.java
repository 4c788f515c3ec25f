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
 * @param status as its row says
 * @param apparentStatus what it is by its own interval and the thresholds of the cluster, as in the view {@code
 *     muster_cluster}: dead as soon as it is overdue, whether or not a node has declared it dead
 * @param address at which other nodes reach it
 * @param labels keys and values for people, from {@code node.labels}, by key
 * @param currentConnections connections it had in use at its last heartbeat
 * @param cpuUsage share of the machine's CPU used by its process, 0 to 1
 * @param memoryUsage bytes of heap in use
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
        int currentConnections,
        int currentJobs,
        double cpuUsage,
        long memoryUsage) {

    /** Whether it was heard of recently enough, judged by its own interval. */
    public boolean isAlive() {
        return apparentStatus != NodeStatus.DEAD;
    }

    /** Whether it runs jobs. */
    public boolean hasHandlers() {
        return !handlers.isEmpty();
    }
}
