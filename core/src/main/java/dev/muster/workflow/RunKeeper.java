package dev.muster.workflow;

import dev.muster.cluster.NodeStore.Duty;
import dev.muster.job.JobId;
import dev.muster.leader.Leadership;
import dev.muster.leader.StaleLeader;
import dev.muster.node.NodePart;
import dev.muster.runtime.LoopService;
import dev.muster.wakeup.ClusterCoordinator;
import dev.muster.workflow.WorkflowStore.Revived;
import dev.muster.workflow.WorkflowStore.Stranded;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps runs in order while this node leads: gives drivers to runs that have lost theirs, and marks the runs of versions that no live
 * node can resume. It works only while there are live runs, which the leader learns with its other duties.
 */
final class RunKeeper extends LoopService implements NodePart {
    private static final Logger log = LoggerFactory.getLogger(RunKeeper.class);
    private static final Duration EVERY = Duration.ofSeconds(5);
    private static final Duration MARK_AGAIN = Duration.ofMinutes(1);
    private static final Duration UNTIL_ASKED = Duration.ofMinutes(1);

    private final WorkflowStore store;
    private final Leadership leadership;
    private final ClusterCoordinator coordinator;
    private final Set<String> reported = new HashSet<>();
    private volatile boolean runsExist;
    private @Nullable JobId looked;
    private boolean mayBeMarked = true;
    private List<Stranded> marked = List.of();
    private long markedAt;

    RunKeeper(WorkflowStore store, Leadership leadership, ClusterCoordinator coordinator) {
        super("workflow-runs");
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
        boolean before = runsExist;
        runsExist = duties.contains(Duty.CHECK_RUNS);
        if (runsExist && !before) {
            loop().wake();
        }
    }

    @Override
    public Duration unfitToLeadFor() {
        return loop().failingFor();
    }

    @Override
    protected Duration step() {
        if (!leadership.isLeader() || !runsExist) {
            // Whoever leads meanwhile may mark runs.
            mayBeMarked = true;
            marked = List.of();
            return UNTIL_ASKED;
        }
        try {
            Revived revived = leadership.fenced(tx -> store.revive(tx, looked));
            looked = revived.next();
            coordinator.notifyNewWork(revived.lanes());
            revived.failed().forEach(run -> log.warn("run={} has failed: its driver died too often", run));
            List<Stranded> stranded = store.stranded(List.of());
            stranded.forEach(this::report);
            reported.retainAll(stranded.stream().map(RunKeeper::key).toList());
            return mark(stranded) ? Duration.ZERO : EVERY;
        } catch (StaleLeader e) {
            return EVERY;
        }
    }

    /**
     * Marks the runs of these versions, and takes back the marks of others. Both look at many runs, so it does nothing if no run can have a
     * mark, and looks again at the same versions only once a minute.
     */
    private boolean mark(List<Stranded> stranded) {
        boolean same = stranded.equals(marked) && System.nanoTime() - markedAt < MARK_AGAIN.toNanos();
        if (same || stranded.isEmpty() && !mayBeMarked) {
            return false;
        }
        boolean more = leadership.fenced(tx -> store.markBlocked(tx, stranded));
        if (!more) {
            mayBeMarked = !stranded.isEmpty();
            marked = stranded;
            markedAt = System.nanoTime();
        }
        return more;
    }

    private static String key(Stranded version) {
        return version.name() + " " + version.version() + " " + version.signature();
    }

    private void report(Stranded version) {
        if (reported.add(key(version))) {
            int runs = store.countLive(version.name(), version.version(), version.signature());
            log.warn(
                    "workflow={} version={} {} runs cannot go on: no live node has {}",
                    version.name(),
                    version.version(),
                    runs > 10_000 ? "more than 10000" : runs,
                    version.what());
        }
    }
}
