package dev.muster.cluster;

import dev.muster.config.NodeRole;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * A node as its row says.
 *
 * @param address at which other nodes reach it
 * @param currentConnections connections it had in use at its last heartbeat
 * @param cpuUsage share of the machine's CPU used by its process, 0 to 1
 * @param memoryUsage bytes of heap in use
 */
public record NodeInfo(
        String id,
        UUID incarnation,
        Optional<String> name,
        NodeStatus status,
        Set<NodeRole> roles,
        Optional<String> address,
        Instant startedAt,
        Instant lastHeartbeat,
        Duration heartbeatAge,
        Duration heartbeatInterval,
        Optional<List<String>> queues,
        List<String> capabilities,
        List<String> handlers,
        int currentConnections,
        int currentJobs,
        double cpuUsage,
        long memoryUsage) {

    private static final Duration MIN_SILENCE = Duration.ofSeconds(15);

    /** Whether it was heard of recently enough, judged by its own interval. */
    public boolean isAlive() {
        Duration patience = heartbeatInterval.multipliedBy(3);
        return status != NodeStatus.DEAD
                && heartbeatAge.compareTo(patience.compareTo(MIN_SILENCE) > 0 ? patience : MIN_SILENCE) < 0;
    }

    /** Whether it runs jobs. */
    public boolean hasHandlers() {
        return !handlers.isEmpty();
    }
}
