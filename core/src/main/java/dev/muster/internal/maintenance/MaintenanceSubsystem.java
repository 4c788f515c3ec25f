package dev.muster.internal.maintenance;

import dev.muster.config.NodeRole;
import dev.muster.internal.node.LeaderLoop;
import dev.muster.internal.node.Membership;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.node.NodePart;
import dev.muster.internal.node.Subsystem;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.Leadership;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Deletes what is older than its retention, writes metrics, and lifts jobs that waited for long. */
public final class MaintenanceSubsystem implements Subsystem {

    @Override
    public String name() {
        return "maintenance";
    }

    @Override
    public List<NodePart> parts(NodeContext node, Membership membership) {
        if (!node.config().node().has(NodeRole.SCHEDULER)) {
            return List.of();
        }
        MaintenanceStore store = node.port(MaintenanceStore.class);
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

    /** Writes the metrics of each minute some time after its end, and those of minutes that were missed. */
    private static final class MetricsAggregator extends LeaderLoop {
        private final MaintenanceStore store;

        MetricsAggregator(MaintenanceStore store, Leadership leadership) {
            super("metrics", leadership);
            this.store = store;
        }

        @Override
        protected Duration lead() {
            return leadership().fenced(store::writeMinute);
        }
    }
}
