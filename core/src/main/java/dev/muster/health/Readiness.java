package dev.muster.health;

import dev.muster.cluster.NodeStatus;
import java.util.Optional;

/**
 * Whether a node can do its work.
 *
 * @param database whether the database answers
 * @param reactor whether wake-ups arrive, or the node is configured to work without them
 * @param stuck why the node claims no jobs although it is active; empty if it does
 */
public record Readiness(boolean database, boolean reactor, NodeStatus status, Optional<String> stuck) {

    public boolean ready() {
        return database && reactor && status == NodeStatus.ACTIVE && stuck.isEmpty();
    }

    String json() {
        return "{\"ready\":" + ready() + ",\"database\":" + database + ",\"reactor\":" + reactor + ",\"node_status\":\""
                + status.text() + "\""
                + stuck.map(reason -> ",\"stuck\":\"" + HealthServer.escape(reason) + "\"")
                        .orElse("") + "}";
    }
}
