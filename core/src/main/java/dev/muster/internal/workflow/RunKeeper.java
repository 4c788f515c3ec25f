package dev.muster.internal.workflow;

import dev.muster.cluster.ClusterCoordinator;
import dev.muster.internal.cluster.NodeStore.Duty;
import dev.muster.internal.node.LeaderDuty;
import dev.muster.internal.workflow.WorkflowStore.Revived;
import dev.muster.internal.workflow.WorkflowStore.Stranded;
import dev.muster.internal.workflow.WorkflowStore.Window;
import dev.muster.job.JobId;
import dev.muster.leader.Leadership;
import dev.muster.runtime.Clock;
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
    private static final Duration BETWEEN_WINDOWS = Duration.ofMillis(50);

    /** While there are more runs to look at than one window has. */
    private static final Duration NEXT_WINDOW = Duration.ofSeconds(2);

    private static final Duration MARK_AGAIN = Duration.ofMinutes(1);

    private final WorkflowStore store;
    private final ClusterCoordinator coordinator;
    private final Clock clock;
    private final Set<String> reported = new HashSet<>();
    private @Nullable JobId looked;
    private boolean mayBeMarked = true;

    /** The versions for which this node walks or has walked; null before the first walk. */
    private @Nullable List<Stranded> marking;

    private @Nullable JobId markedTo;
    private boolean walking;
    private int changed;
    private long walkedAt;

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
        marking = null;
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
        if (mark(stranded) || revived.more()) {
            return BETWEEN_WINDOWS;
        }
        return looked == null ? EVERY : NEXT_WINDOW;
    }

    /**
     * Marks the runs of these versions, and takes back the marks of others, in one walk over all live runs, a window at a time. It does
     * nothing if no run can have a mark, and walks again for the same versions only once a minute.
     *
     * @return whether there are more runs to walk over
     */
    private boolean mark(List<Stranded> stranded) {
        if (!stranded.equals(marking)) {
            marking = stranded;
            markedTo = null;
            walking = true;
            changed = 0;
        }
        if (!walking) {
            boolean again = !stranded.isEmpty() || mayBeMarked;
            if (!again || clock.nanos() - walkedAt < MARK_AGAIN.toNanos()) {
                return false;
            }
            walking = true;
            changed = 0;
        }
        Window window = leadership().fenced(tx -> store.markBlocked(tx, stranded, markedTo));
        changed += window.changed();
        markedTo = window.next();
        walking = markedTo != null;
        if (!walking) {
            walkedAt = clock.nanos();
            // A walk may have skipped runs that were locked.
            mayBeMarked = !stranded.isEmpty() || changed > 0;
        }
        return walking;
    }

    private static String key(Stranded version) {
        return version.name() + " " + version.version() + " " + version.signature();
    }

    private void report(Stranded version) {
        if (reported.add(key(version))) {
            int runs = store.countLive(version.name(), version.version(), version.signature());
            log.warn(
                    "workflow={} version={} {} runs cannot continue: no live node has {}",
                    version.name(),
                    version.version(),
                    runs > 10_000 ? "more than 10000" : runs,
                    version.what());
        }
    }
}
