package dev.muster.batch;

import dev.muster.leader.Leadership;
import dev.muster.leader.StaleLeader;
import dev.muster.node.NodePart;
import dev.muster.runtime.LoopService;
import java.time.Duration;

/** Deletes batches that were closed, or given up before they were sealed, longer ago than {@code history.retain}. */
final class BatchRetention extends LoopService implements NodePart {
    private static final Duration PERIOD = Duration.ofMinutes(10);
    private static final Duration UNTIL_LEADING = Duration.ofSeconds(2);

    private final BatchStore store;
    private final Leadership leadership;
    private final Duration retain;

    BatchRetention(BatchStore store, Leadership leadership, Duration retain) {
        super("batch-retention");
        this.store = store;
        this.leadership = leadership;
        this.retain = retain;
    }

    @Override
    public Phase phase() {
        return Phase.CLUSTER;
    }

    @Override
    protected Duration step() {
        if (!leadership.isLeader()) {
            return UNTIL_LEADING;
        }
        try {
            boolean more = true;
            while (more && !loop().stopping()) {
                more = leadership.fenced(tx -> store.forget(tx, retain));
            }
            return PERIOD;
        } catch (StaleLeader e) {
            return UNTIL_LEADING;
        }
    }
}
