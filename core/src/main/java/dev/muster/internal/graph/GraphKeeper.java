package dev.muster.internal.graph;

import dev.muster.cluster.ClusterCoordinator;
import dev.muster.internal.cluster.NodeStore.Duty;
import dev.muster.internal.graph.GraphStore.Position;
import dev.muster.internal.graph.GraphStore.Swept;
import dev.muster.internal.node.LeaderDuty;
import dev.muster.leader.Leadership;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds tasks whose end was missed, because the node that ended their job died before it had told the graph. It works while this node leads
 * and there are live graphs.
 */
final class GraphKeeper extends LeaderDuty {
    private static final Logger log = LoggerFactory.getLogger(GraphKeeper.class);
    private static final Duration EVERY = Duration.ofSeconds(2);

    private final GraphStore store;
    private final ClusterCoordinator coordinator;
    private @Nullable Position looked;

    GraphKeeper(GraphStore store, Leadership leadership, ClusterCoordinator coordinator) {
        super("graphs", Duty.CHECK_GRAPHS, leadership);
        this.store = store;
        this.coordinator = coordinator;
    }

    @Override
    protected Duration work() {
        Swept swept = leadership().fenced(tx -> store.sweep(tx, looked));
        looked = swept.next();
        if (!swept.lanes().isEmpty()) {
            coordinator.notifyNewWork(swept.lanes());
        }
        if (swept.resolved() > 0) {
            log.info("resolved {} tasks whose job had ended", swept.resolved());
        }
        return EVERY;
    }
}
