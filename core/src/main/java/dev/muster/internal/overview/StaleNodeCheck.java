package dev.muster.internal.overview;

import dev.muster.cluster.NodeStatus;
import dev.muster.overview.Finding.Severity;
import java.util.List;

/** A node whose heartbeats are late may be overloaded, frozen, or cut off from the database. */
final class StaleNodeCheck implements Check {

    @Override
    public String name() {
        return "stale_node";
    }

    @Override
    public String question() {
        return "Do all nodes send their heartbeats?";
    }

    @Override
    public Severity severity() {
        return Severity.WARNING;
    }

    @Override
    public String advice() {
        return "see whether its process runs and reaches the database";
    }

    @Override
    public String page() {
        return "nodes";
    }

    @Override
    public List<Problem> look(ClusterReading cluster) {
        return cluster.nodes().stream()
                .filter(node -> node.apparentStatus() == NodeStatus.STALE)
                .map(node -> new Problem(
                        "Node " + node.id() + " has been silent for " + DurationWords.of(node.heartbeatAge()),
                        "nodes/" + node.id()))
                .toList();
    }
}
