package dev.muster.health;

import dev.muster.cluster.NodeStatus;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Whether a node can do its work.
 *
 * @param database whether the database answers
 * @param reactor whether wake-ups arrive, or the node is configured to work without them
 * @param parts what certain parts of the node say, by name
 * @param stuck why the node claims no jobs although it is active; empty if it does
 */
public record Readiness(
        boolean database, boolean reactor, NodeStatus status, Map<String, Boolean> parts, Optional<String> stuck) {

    public boolean ready() {
        return database && reactor && status == NodeStatus.ACTIVE && !parts.containsValue(false) && stuck.isEmpty();
    }

    /** The body of the answer. */
    public String json() {
        return "{\"ready\":" + ready() + ",\"database\":" + database + ",\"reactor\":" + reactor + ",\"node_status\":\""
                + status.text() + "\""
                + parts.entrySet().stream()
                        .map(part -> ",\"" + part.getKey() + "\":" + part.getValue())
                        .collect(Collectors.joining())
                + stuck.map(reason -> ",\"stuck\":\"" + Probes.escape(reason) + "\"")
                        .orElse("") + "}";
    }
}
