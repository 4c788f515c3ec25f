package dev.muster;

import dev.muster.cluster.NodeLoad;
import dev.muster.cluster.NodeStatus;

/**
 * A node as it knows itself, without asking the database.
 *
 * @param load what the node reports with each heartbeat, as it is now
 */
public record NodeState(NodeStatus status, NodeLoad load) {}
