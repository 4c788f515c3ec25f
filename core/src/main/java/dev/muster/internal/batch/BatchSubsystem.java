package dev.muster.internal.batch;

import dev.muster.batch.Batches;
import dev.muster.cluster.ClusterCoordinator.Topic;
import dev.muster.config.NodeRole;
import dev.muster.internal.node.LeaderDeletions;
import dev.muster.internal.node.Membership;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.node.NodePart;
import dev.muster.internal.node.Subsystem;
import dev.muster.job.JobQuery;
import dev.muster.leader.LeaderRole;
import java.util.ArrayList;
import java.util.List;

/** Brings batches: their API, and the part of a node that closes them. */
public final class BatchSubsystem implements Subsystem {
    /** A batch was sealed. */
    static final Topic SEALED = new Topic(BatchStore.SEALED);

    @Override
    public String name() {
        return "batches";
    }

    @Override
    public List<Api<?>> apis(NodeContext node) {
        Batches batches = new DatabaseBatches(node);
        return List.of(new Api<>(Batches.class, batches));
    }

    @Override
    public List<NodePart> parts(NodeContext node, Membership membership) {
        List<NodePart> parts = new ArrayList<>();
        if (node.observes()) {
            return parts;
        }
        BatchStore store = node.port(BatchStore.class);
        parts.add(new BatchKeeper(
                store, batch -> node.jobs().cancelAll(JobQuery.all().batch(batch)), node.coordinator(), node.clock()));
        if (node.config().node().has(NodeRole.SCHEDULER)) {
            parts.add(new LeaderDeletions(
                    "batch-retention",
                    membership.leadership(LeaderRole.LOG_COMPACTOR),
                    List.of(tx -> store.forget(tx, node.config().history().retain()))));
        }
        return parts;
    }
}
