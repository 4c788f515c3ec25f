package dev.muster;

import dev.muster.cluster.NodeStatus;
import dev.muster.cluster.NodeStore.Load;

/**
 * A node as it knows itself, without asking the database.
 *
 * @param load what the node reports with each heartbeat, as it is now
 */
public record NodeState(NodeStatus status, Load load) {}
