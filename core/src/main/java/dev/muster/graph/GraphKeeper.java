package dev.muster.graph;

import dev.muster.cluster.NodeStore.Duty;
import dev.muster.graph.GraphStore.Position;
import dev.muster.graph.GraphStore.Swept;
import dev.muster.leader.Leadership;
import dev.muster.leader.StaleLeader;
import dev.muster.node.NodePart;
import dev.muster.runtime.LoopService;
import dev.muster.wakeup.ClusterCoordinator;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds tasks whose end was missed, because the node that ended their job died before it had told the graph. It works while this node leads
 * and there are live graphs, which the leader learns with its other duties.
 */
final class GraphKeeper extends LoopService implements NodePart {
    private static final Logger log = LoggerFactory.getLogger(GraphKeeper.class);
    private static final Duration EVERY = Duration.ofSeconds(2);
    private static final Duration UNTIL_ASKED = Duration.ofMinutes(1);

    private final GraphStore store;
    private final Leadership leadership;
    private final ClusterCoordinator coordinator;
    private volatile boolean graphsExist;
    private @Nullable Position looked;

    GraphKeeper(GraphStore store, Leadership leadership, ClusterCoordinator coordinator) {
        super("graphs");
        this.store = store;
        this.leadership = leadership;
        this.coordinator = coordinator;
    }

    @Override
    public Phase phase() {
        return Phase.CLUSTER;
    }

    @Override
    public void due(Set<Duty> duties) {
        boolean before = graphsExist;
        graphsExist = duties.contains(Duty.CHECK_GRAPHS);
        if (graphsExist && !before) {
            loop().wake();
        }
    }

    @Override
    public Duration unfitToLeadFor() {
        return loop().failingFor();
    }

    @Override
    protected Duration step() {
        if (!leadership.isLeader() || !graphsExist) {
            return UNTIL_ASKED;
        }
        try {
            Swept swept = leadership.fenced(tx -> store.sweep(tx, looked));
            looked = swept.next();
            if (!swept.lanes().isEmpty()) {
                coordinator.notifyNewWork(swept.lanes());
            }
            if (swept.resolved() > 0) {
                log.info("found {} tasks whose end had been missed", swept.resolved());
            }
            return EVERY;
        } catch (StaleLeader e) {
            return EVERY;
        }
    }
}
