package dev.muster.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A node as its row says. */
public record NodeInfo(
        String id,
        UUID incarnation,
        Optional<String> name,
        NodeStatus status,
        Instant startedAt,
        Instant lastHeartbeat,
        Duration heartbeatAge,
        Duration heartbeatInterval,
        List<String> capabilities,
        List<String> handlers,
        int currentJobs) {

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
