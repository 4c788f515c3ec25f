package dev.muster.internal.graph;

import dev.muster.config.NodeRole;
import dev.muster.graph.Graphs;
import dev.muster.internal.attempt.ArgsSource;
import dev.muster.internal.node.LeaderDeletions;
import dev.muster.internal.node.Membership;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.node.NodePart;
import dev.muster.internal.node.Subsystem;
import dev.muster.leader.LeaderRole;
import java.util.List;
import java.util.Optional;

/** Graphs of tasks. They have no handlers of their own: a task runs as a job. */
public final class GraphSubsystem implements Subsystem {

    @Override
    public String name() {
        return "graphs";
    }

    @Override
    public Optional<ArgsSource> argsSource(NodeContext node) {
        return Optional.of(new TaskInputs(node.port(GraphStore.class), node.payloads()));
    }

    @Override
    public List<Api<?>> apis(NodeContext node) {
        Graphs graphs = new DatabaseGraphs(node);
        return List.of(new Api<>(Graphs.class, graphs));
    }

    @Override
    public List<NodePart> parts(NodeContext node, Membership membership) {
        if (!node.config().node().has(NodeRole.SCHEDULER) || node.observes()) {
            return List.of();
        }
        GraphStore store = node.port(GraphStore.class);
        return List.of(
                new GraphKeeper(store, membership.leadership(LeaderRole.SCHEDULER), node.coordinator()),
                new LeaderDeletions(
                        "graph-retention",
                        membership.leadership(LeaderRole.LOG_COMPACTOR),
                        List.of(tx -> store.forget(tx, node.config().history().retain()))));
    }
}
