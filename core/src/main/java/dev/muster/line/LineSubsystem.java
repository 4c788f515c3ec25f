package dev.muster.line;

import dev.muster.config.NodeRole;
import dev.muster.job.JobHandler;
import dev.muster.job.LineLimit;
import dev.muster.job.store.LineStore;
import dev.muster.leader.LeaderRole;
import dev.muster.node.Membership;
import dev.muster.node.NodeContext;
import dev.muster.node.NodePart;
import dev.muster.node.Retention;
import dev.muster.node.Subsystem;
import dev.muster.worker.JobMethods;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Lines of jobs. */
public final class LineSubsystem implements Subsystem {
    @Override
    public String name() {
        return "lines";
    }

    @Override
    public List<NodePart> parts(NodeContext node, Membership membership) {
        List<NodePart> parts = new ArrayList<>();
        if (node.observes()) {
            return parts;
        }
        LineStore store = node.port(LineStore.class);
        if (node.config().node().has(NodeRole.WORKER)) {
            parts.add(new LimitPublisher(store, node));
        }
        parts.add(new LineKeeper(store, membership.leadership(LeaderRole.SCHEDULER), node.coordinator(), node.clock()));
        if (node.config().node().has(NodeRole.SCHEDULER)) {
            parts.add(new Retention(
                    "line-retention", membership.leadership(LeaderRole.LOG_COMPACTOR), List.of(store::forget)));
        }
        return parts;
    }

    /** Writes the limits of this node's handlers before it runs their jobs. */
    private record LimitPublisher(LineStore store, NodeContext node) implements NodePart {
        @Override
        public String name() {
            return "line-limits";
        }

        @Override
        public Phase phase() {
            return Phase.PREPARATION;
        }

        @Override
        public void start() {
            Map<String, LineLimit> limits = new HashMap<>();
            Set<String> unlimited = new HashSet<>();
            for (JobHandler handler : node.handlers().of(JobMethods.JOBS)) {
                if (handler.line() == null) {
                    unlimited.add(handler.name());
                } else {
                    limits.put(handler.name(), handler.line());
                }
            }
            store.publish(limits, unlimited);
        }
    }
}
