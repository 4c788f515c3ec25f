package dev.muster.config;

import java.time.Duration;

/**
 * The {@code [cluster]} section: heartbeats, and when a silent node counts as dead.
 *
 * @param discovery how nodes find each other: through the database; other values are refused. Default: postgres
 * @param heartbeatInterval time between heartbeats while the node has work, 100ms to 1h. Default: 5s
 * @param maxHeartbeatInterval longest time between heartbeats of an idle node, 100ms to 1h, not below heartbeatInterval.
 *     Default: 60s
 * @param staleThreshold how long a node must be silent to be shown as stale, 100ms to 24h, below deadThreshold. Default: 10s
 * @param deadThreshold how long a node must be silent to be declared dead, so that other nodes take over its jobs, 300ms to
 *     24h, at least 3 × heartbeatInterval. Default: 15s
 */
public record ClusterConfig(
        Discovery discovery,
        Duration heartbeatInterval,
        Duration maxHeartbeatInterval,
        Duration staleThreshold,
        Duration deadThreshold) {

    static final Section SECTION = new Section("cluster");

    static final Setting<Discovery> DISCOVERY = SECTION.setting(
            "discovery",
            ValueType.choice(Discovery.class),
            "postgres",
            "how nodes find each other: through the database; other values are refused");
    static final Setting<Duration> HEARTBEAT_INTERVAL = SECTION.setting(
            "heartbeat_interval",
            ValueType.duration("100ms", "1h"),
            "5s",
            "time between heartbeats while the node has work");
    static final Setting<Duration> MAX_HEARTBEAT_INTERVAL = SECTION.setting(
            "max_heartbeat_interval",
            ValueType.duration("100ms", "1h"),
            "60s",
            "longest time between heartbeats while the node is idle");
    static final Setting<Duration> STALE_THRESHOLD = SECTION.setting(
            "stale_threshold",
            ValueType.duration("100ms", "24h"),
            "10s",
            "how long a node must be silent to be shown as stale");
    static final Setting<Duration> DEAD_THRESHOLD = SECTION.setting(
            "dead_threshold",
            ValueType.duration("300ms", "24h"),
            "15s",
            "how long a node must be silent to be declared dead, so that other nodes take over its jobs");

    static ClusterConfig from(Values values) {
        return new ClusterConfig(
                values.get(DISCOVERY),
                values.get(HEARTBEAT_INTERVAL),
                values.get(MAX_HEARTBEAT_INTERVAL),
                values.get(STALE_THRESHOLD),
                values.get(DEAD_THRESHOLD));
    }

    /** How nodes find each other. */
    public enum Discovery {
        /** Through the shared database. */
        POSTGRES
    }
}
