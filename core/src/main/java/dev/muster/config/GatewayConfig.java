package dev.muster.config;

import java.util.Optional;

/**
 * The {@code [gateway]} section: where this node listens.
 *
 * @param host the address to listen at. Default: 127.0.0.1
 * @param port for nodes with the gateway role, 0 to 65535, 0 for any free one; absent: {@code muster node} takes 8080 or,
 *     if that is taken, any free one, and a node inside another program listens nowhere. Default: auto
 * @param healthPort for health alone, 0 to 65535; what nodes without the gateway role have. Default: none
 */
public record GatewayConfig(String host, Optional<Integer> port, Optional<Integer> healthPort) {

    static final Section SECTION = new Section("gateway");

    static final Setting<String> HOST =
            SECTION.setting("host", ValueType.text(), "127.0.0.1", "the address to listen at");
    static final Setting<Optional<Integer>> PORT = SECTION.automatic(
            "port",
            ValueType.integer(0, 65_535),
            "where a node with the gateway role listens; auto is 8080 or any free one for muster node, none elsewhere");
    static final Setting<Optional<Integer>> HEALTH_PORT = SECTION.optional(
            "health_port",
            ValueType.integer(0, 65_535),
            "a port for health alone, for nodes without the gateway role; none when left out");

    static GatewayConfig from(Values values) {
        return new GatewayConfig(values.get(HOST), values.get(PORT), values.get(HEALTH_PORT));
    }
}
