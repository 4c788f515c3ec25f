package dev.muster.workflow;

import dev.muster.cluster.NodeStore.Duty;
import dev.muster.job.JobId;
import dev.muster.leader.Leadership;
import dev.muster.node.LeaderDuty;
import dev.muster.runtime.Clock;
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
 * Keeps runs in order while this node leads and there are live runs: gives drivers to runs that have lost theirs, and marks the runs of
 * versions that no live node can resume.
 */
final class RunKeeper extends LeaderDuty {
    private static final Logger log = LoggerFactory.getLogger(RunKeeper.class);
    private static final Duration EVERY = Duration.ofSeconds(5);
    private static final Duration MARK_AGAIN = Duration.ofMinutes(1);

    private final WorkflowStore store;
    private final ClusterCoordinator coordinator;
    private final Clock clock;
    private final Set<String> reported = new HashSet<>();
    private @Nullable JobId looked;
    private boolean mayBeMarked = true;
    private List<Stranded> marked = List.of();
    private long markedAt;

    RunKeeper(WorkflowStore store, Leadership leadership, ClusterCoordinator coordinator, Clock clock) {
        super("workflow-runs", Duty.CHECK_RUNS, leadership);
        this.store = store;
        this.coordinator = coordinator;
        this.clock = clock;
    }

    /** Whoever leads meanwhile may mark runs. */
    @Override
    protected void idle() {
        mayBeMarked = true;
        marked = List.of();
    }

    @Override
    protected Duration work() {
        Revived revived = leadership().fenced(tx -> store.revive(tx, looked));
        looked = revived.next();
        coordinator.notifyNewWork(revived.lanes());
        revived.failed().forEach(run -> log.warn("run={} has failed: its driver died too often", run));
        List<Stranded> stranded = store.stranded(List.of());
        stranded.forEach(this::report);
        reported.retainAll(stranded.stream().map(RunKeeper::key).toList());
        return mark(stranded) ? Duration.ZERO : EVERY;
    }

    /**
     * Marks the runs of these versions, and takes back the marks of others. Both look at many runs, so it does nothing if no run can have a
     * mark, and looks again at the same versions only once a minute.
     */
    private boolean mark(List<Stranded> stranded) {
        boolean same = stranded.equals(marked) && clock.nanos() - markedAt < MARK_AGAIN.toNanos();
        if (same || stranded.isEmpty() && !mayBeMarked) {
            return false;
        }
        boolean more = leadership().fenced(tx -> store.markBlocked(tx, stranded));
        if (!more) {
            mayBeMarked = !stranded.isEmpty();
            marked = stranded;
            markedAt = clock.nanos();
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
