package dev.muster.gateway.internal;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.muster.config.GatewayConfig;
import java.lang.management.ManagementFactory;

/**
 * How many connections a port has.
 *
 * @param all how many there may be at the same time
 * @param allName what limits them, as clients are told
 * @param ofAddress how many of them may come from one address
 * @param ofAddressName what limits these
 */
record ConnectionLimits(int all, String allName, int ofAddress, String ofAddressName) {
    private static final int FEWEST = 10;

    /** Connections of the port for calls beyond those that calls need: of gateways that keep theirs, and of strangers. */
    private static final int MORE_CONNECTIONS = 1_000;

    /**
     * Of the gateway's port. With the usual setting, it takes half of the files that the process may open, and leaves the rest to the database and
     * everything else.
     */
    static ConnectionLimits ofGateway(GatewayConfig config) {
        return new ConnectionLimits(
                config.maxConnections().orElseGet(() -> atMost(config.effectiveMaxConnections(), files() / 2)),
                "gateway.max_connections",
                config.effectiveMaxConnectionsPerAddress(),
                "gateway.max_connections_per_address");
    }

    /**
     * Of the port for calls that gateways forward. What the gateway's settings say about clients does not count here: one gateway may need a
     * connection for each call that the node takes. It takes an eighth of the files, because the node may be a gateway, too.
     */
    static ConnectionLimits ofCalls(GatewayConfig config) {
        int most = atMost(config.maxRequests() + MORE_CONNECTIONS, files() / 8);
        String name = "the limit of the port for forwarded calls";
        return new ConnectionLimits(most, name, most, name);
    }

    private static int atMost(int wanted, long files) {
        return (int) Math.max(FEWEST, Math.min(wanted, files));
    }

    /** How many files the process may open. */
    private static long files() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? system.getMaxFileDescriptorCount()
                : Long.MAX_VALUE;
    }
}
