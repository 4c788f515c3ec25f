package dev.muster.config;

import java.util.Optional;

/**
 * The {@code [gateway]} section: the HTTP ports of this node.
 *
 * @param host the address to listen at. Default: 127.0.0.1
 * @param port the port of a node with the gateway role, 0 to 65535, 0 for any free one. If absent, {@code muster node} takes
 *     8080, or any free port if that is taken, and a node inside another program opens no port. Default: auto
 * @param healthPort a port that serves only health, 0 to 65535, also on nodes without the gateway role. Default: none
 */
public record GatewayConfig(String host, Optional<Integer> port, Optional<Integer> healthPort) {

    static final Section SECTION = new Section("gateway");

    static final Setting<String> HOST =
            SECTION.setting("host", ValueType.text(), "127.0.0.1", "the address to listen at");
    static final Setting<Optional<Integer>> PORT = SECTION.automatic(
            "port",
            ValueType.integer(0, 65_535),
            "port of a node with the gateway role; auto is 8080 or any free one for muster node, none in other programs");
    static final Setting<Optional<Integer>> HEALTH_PORT = SECTION.optional(
            "health_port",
            ValueType.integer(0, 65_535),
            "port that serves only health, also on nodes without the gateway role; none when left out");

    static GatewayConfig from(Values values) {
        return new GatewayConfig(values.get(HOST), values.get(PORT), values.get(HEALTH_PORT));
    }
}
