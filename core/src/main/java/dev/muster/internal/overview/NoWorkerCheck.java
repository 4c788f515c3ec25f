package dev.muster.internal.overview;

import dev.muster.cluster.NodeInfo;
import dev.muster.config.NodeRole;
import dev.muster.overview.Finding.Severity;
import java.time.Instant;
import java.util.List;

/** Nothing runs without a node that takes jobs. */
final class NoWorkerCheck implements Check {

    @Override
    public String name() {
        return "no_worker";
    }

    @Override
    public String question() {
        return "Does a node run jobs?";
    }

    @Override
    public Severity severity() {
        return Severity.CRITICAL;
    }

    @Override
    public String advice() {
        return "start a node with the role worker";
    }

    @Override
    public String page() {
        return "nodes";
    }

    @Override
    public List<Problem> look(ClusterReading cluster) {
        if (!cluster.workers().isEmpty()) {
            return List.of();
        }
        return List.of(new Problem(
                cluster.nodes().stream()
                        .filter(node -> node.roles().contains(NodeRole.WORKER))
                        .map(NodeInfo::lastHeartbeat)
                        .max(Instant::compareTo)
                        .map(last -> "No node has run jobs for " + DurationWords.of(cluster.since(last)))
                        .orElse("No node runs jobs"),
                page()));
    }
}
