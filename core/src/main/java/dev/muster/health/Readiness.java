package dev.muster.health;

import dev.muster.cluster.NodeStatus;

/**
 * Whether a node can do its work.
 *
 * @param database whether the database answers
 * @param reactor whether wake-ups arrive, or the node is set to do without
 */
public record Readiness(boolean database, boolean reactor, NodeStatus status) {

    public boolean ready() {
        return database && reactor && status == NodeStatus.ACTIVE;
    }

    String json() {
        return "{\"ready\":" + ready() + ",\"database\":" + database + ",\"reactor\":" + reactor + ",\"node_status\":\""
                + status.text() + "\"}";
    }
}
