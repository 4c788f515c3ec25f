package dev.muster.internal.admission;

import dev.muster.config.NodeRole;
import dev.muster.internal.job.store.AdmissionStore;
import dev.muster.internal.node.LeaderDeletions;
import dev.muster.internal.node.Membership;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.node.NodePart;
import dev.muster.internal.node.Subsystem;
import dev.muster.internal.worker.JobMethods;
import dev.muster.job.ConcurrencyLimit;
import dev.muster.job.JobHandler;
import dev.muster.leader.LeaderRole;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Admission of jobs to the concurrency groups that they belong to. */
public final class AdmissionSubsystem implements Subsystem {
    @Override
    public String name() {
        return "admission";
    }

    @Override
    public List<NodePart> parts(NodeContext node, Membership membership) {
        List<NodePart> parts = new ArrayList<>();
        if (node.observes()) {
            return parts;
        }
        AdmissionStore store = node.port(AdmissionStore.class);
        if (node.config().node().has(NodeRole.WORKER)) {
            parts.add(new LimitPublisher(store, node));
        }
        parts.add(new AdmissionKeeper(
                store, membership.leadership(LeaderRole.SCHEDULER), node.coordinator(), node.clock()));
        if (node.config().node().has(NodeRole.SCHEDULER)) {
            parts.add(new LeaderDeletions(
                    "admission-retention", membership.leadership(LeaderRole.LOG_COMPACTOR), List.of(store::forget)));
        }
        return parts;
    }

    /** Writes the limits of this node's handlers before it runs their jobs. */
    private record LimitPublisher(AdmissionStore store, NodeContext node) implements NodePart {
        @Override
        public String name() {
            return "concurrency-limits";
        }

        @Override
        public Phase phase() {
            return Phase.PREPARATION;
        }

        @Override
        public void start() {
            Map<String, ConcurrencyLimit> limits = new HashMap<>();
            Set<String> unlimited = new HashSet<>();
            for (JobHandler handler : node.handlers().of(JobMethods.JOBS)) {
                if (handler.concurrencyLimit() == null) {
                    unlimited.add(handler.name());
                } else {
                    limits.put(handler.name(), handler.concurrencyLimit());
                }
            }
            store.publish(limits, unlimited);
        }
    }
}
