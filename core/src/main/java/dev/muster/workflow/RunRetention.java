package dev.muster.workflow;

import dev.muster.leader.Leadership;
import dev.muster.leader.Leadership.FencedWork;
import dev.muster.leader.StaleLeader;
import dev.muster.node.NodePart;
import dev.muster.runtime.LoopService;
import java.time.Duration;

/** Deletes runs that ended longer ago than {@code history.retain}, and the days of steps that nobody needs any more. */
final class RunRetention extends LoopService implements NodePart {
    private static final Duration PERIOD = Duration.ofMinutes(10);
    private static final Duration UNTIL_LEADING = Duration.ofSeconds(2);

    private final WorkflowStore store;
    private final Leadership leadership;
    private final Duration retain;

    RunRetention(WorkflowStore store, Leadership leadership, Duration retain) {
        super("workflow-retention");
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
            whileThereIsMore(tx -> store.forgetRuns(tx, retain));
            whileThereIsMore(tx -> store.dropStepsDay(tx, retain));
            return PERIOD;
        } catch (StaleLeader e) {
            return UNTIL_LEADING;
        }
    }

    private void whileThereIsMore(FencedWork<Boolean> work) {
        boolean more = true;
        while (more && !loop().stopping()) {
            more = leadership.fenced(work);
        }
    }
}
