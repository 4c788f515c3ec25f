package dev.muster.upkeep;

import dev.muster.config.NodeRole;
import dev.muster.leader.LeaderRole;
import dev.muster.node.Membership;
import dev.muster.node.NodeContext;
import dev.muster.node.NodePart;
import dev.muster.node.Subsystem;
import java.util.ArrayList;
import java.util.List;

/** Deletes what is older than its retention, writes metrics, and lifts jobs that waited for long. */
public final class UpkeepSubsystem implements Subsystem {

    @Override
    public String name() {
        return "upkeep";
    }

    @Override
    public List<NodePart> parts(NodeContext node, Membership membership) {
        if (!node.config().node().has(NodeRole.SCHEDULER)) {
            return List.of();
        }
        UpkeepStore store = node.port(UpkeepStore.class);
        List<NodePart> parts = new ArrayList<>(List.of(
                new RetentionCleaner(
                        store,
                        membership.leadership(LeaderRole.LOG_COMPACTOR),
                        node.config().history(),
                        node.clock()),
                new MetricsAggregator(store, membership.leadership(LeaderRole.METRICS_AGGREGATOR))));
        node.config()
                .worker()
                .ageAfter()
                .map(age -> new PriorityAging(
                        node.port(AgingStore.class),
                        membership.leadership(LeaderRole.SCHEDULER),
                        node.coordinator(),
                        age,
                        node.clock()))
                .ifPresent(parts::add);
        return parts;
    }
}
