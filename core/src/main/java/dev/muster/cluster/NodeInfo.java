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
        List<String> capabilities,
        int currentJobs) {}
