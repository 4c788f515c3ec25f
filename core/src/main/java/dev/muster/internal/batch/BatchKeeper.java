package dev.muster.internal.batch;

import dev.muster.cluster.ClusterCoordinator;
import dev.muster.internal.batch.BatchStore.Closing;
import dev.muster.internal.cluster.NodeStore.Duty;
import dev.muster.internal.node.NodePart;
import dev.muster.internal.runtime.Durations;
import dev.muster.internal.runtime.Each;
import dev.muster.internal.runtime.LoopService;
import dev.muster.job.BatchId;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes batches: after jobs have ended on this node, after a batch was sealed and, while this node keeps the cluster in order, every few
 * seconds, for batches whose last job was ended by a node that died right then. At the same time it cancels the jobs of cancelled batches
 * that are still live. Without sealed batches it sends no statement.
 */
final class BatchKeeper extends LoopService implements NodePart {
    private static final Logger log = LoggerFactory.getLogger(BatchKeeper.class);
    private static final Duration IDLE = Duration.ofMinutes(10);

    /** It pauses this many times as long as its last look took, so that nodes spend little time on it while jobs end all the time. */
    private static final int SHARE = 5;

    /** However long the last look took: it may have waited for a database that did not answer. */
    private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(10).toNanos();

    private final BatchStore store;
    private final Consumer<BatchId> cancelJobs;
    private final ClusterCoordinator coordinator;
    private final Clock clock;
    private volatile boolean thorough;
    private volatile boolean wanted = true;
    private long notBefore;

    BatchKeeper(BatchStore store, Consumer<BatchId> cancelJobs, ClusterCoordinator coordinator, Clock clock) {
        super("batches");
        this.store = store;
        this.cancelJobs = cancelJobs;
        this.coordinator = coordinator;
        this.clock = clock;
        this.notBefore = clock.nanos();
    }

    @Override
    public Phase phase() {
        return Phase.CLUSTER;
    }

    @Override
    public void start() {
        store.onEnded(this::look);
        coordinator.registerChangeListener(BatchSubsystem.SEALED, () -> {
            store.mayHaveSealed();
            look();
        });
        super.start();
    }

    private void look() {
        wanted = true;
        loop().wake();
    }

    @Override
    public void due(Set<Duty> duties) {
        if (duties.contains(Duty.CHECK_BATCHES)) {
            thorough = true;
            look();
        }
    }

    @Override
    protected Duration step() {
        long start = clock.nanos();
        if (!wanted) {
            return IDLE;
        }
        if (start - notBefore < 0) {
            return Duration.ofNanos(notBefore - start);
        }
        wanted = false;
        boolean everything = thorough;
        thorough = false;
        Closing closing;
        try {
            closing = store.closeDue(everything);
            if (!closing.lanes().isEmpty()) {
                coordinator.notifyNewWork(closing.lanes());
            }
            if (everything) {
                Each.of(closing.toCancel(), cancelJobs);
            }
        } catch (RuntimeException e) {
            // Jobs have ended, and nobody would ask again.
            wanted = true;
            thorough |= everything;
            throw e;
        }
        closing.closed().forEach(batch -> log.debug("batch={} closed", batch));
        long now = clock.nanos();
        notBefore = now + Math.min(SHARE * (now - start), LONGEST_PAUSE_NANOS);
        if (closing.again().isPresent()) {
            wanted = true;
            notBefore = Math.max(notBefore, now + closing.again().get().toNanos());
        }
        return wanted ? Durations.shorter(IDLE, Duration.ofNanos(Math.max(0, notBefore - now))) : IDLE;
    }
}
