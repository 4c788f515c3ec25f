package dev.muster.graph;

import dev.muster.attempt.ArgsSource;
import dev.muster.config.NodeRole;
import dev.muster.leader.LeaderRole;
import dev.muster.node.Membership;
import dev.muster.node.NodeContext;
import dev.muster.node.NodePart;
import dev.muster.node.Retention;
import dev.muster.node.Subsystem;
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
        Graphs graphs = new StoredGraphs(node);
        return List.of(new Api<>(Graphs.class, node.observes() ? new ObserverGraphs(graphs) : graphs));
    }

    @Override
    public List<NodePart> parts(NodeContext node, Membership membership) {
        if (!node.config().node().has(NodeRole.SCHEDULER) || node.observes()) {
            return List.of();
        }
        GraphStore store = node.port(GraphStore.class);
        return List.of(
                new GraphKeeper(store, membership.leadership(LeaderRole.SCHEDULER), node.coordinator()),
                new Retention(
                        "graph-retention",
                        membership.leadership(LeaderRole.LOG_COMPACTOR),
                        List.of(tx -> store.forget(tx, node.config().history().retain()))));
    }
}
