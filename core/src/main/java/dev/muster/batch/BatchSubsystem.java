package dev.muster.batch;

import dev.muster.config.NodeRole;
import dev.muster.job.JobQuery;
import dev.muster.leader.LeaderRole;
import dev.muster.node.Membership;
import dev.muster.node.NodeContext;
import dev.muster.node.NodePart;
import dev.muster.node.Retention;
import dev.muster.node.Subsystem;
import dev.muster.wakeup.ClusterCoordinator.Topic;
import java.util.ArrayList;
import java.util.List;

/** Batches of jobs. */
public final class BatchSubsystem implements Subsystem {
    /** A batch was sealed. */
    static final Topic SEALED = new Topic(BatchStore.SEALED);

    @Override
    public String name() {
        return "batches";
    }

    @Override
    public List<Api<?>> apis(NodeContext node) {
        Batches batches = new StoredBatches(node);
        return List.of(new Api<>(Batches.class, node.observes() ? new ObserverBatches(batches) : batches));
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
            parts.add(new Retention(
                    "batch-retention",
                    membership.leadership(LeaderRole.LOG_COMPACTOR),
                    List.of(tx -> store.forget(tx, node.config().history().retain()))));
        }
        return parts;
    }
}
