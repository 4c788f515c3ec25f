package dev.muster.internal.node;

import dev.muster.internal.runtime.Each;
import dev.muster.leader.Leadership;
import dev.muster.leader.Leadership.FencedWork;
import java.time.Duration;
import java.util.List;

/** Deletes what a feature keeps no longer, every ten minutes, on the node that leads. */
public final class LeaderDeletions extends LeaderLoop {
    /** What is to be deleted is days old: a rolling restart, which moves the role from node to node, need not look for it each time. */
    public static final Duration FIRST_WAIT = Duration.ofSeconds(10);

    private static final Duration PERIOD = Duration.ofMinutes(10);

    private final List<FencedWork<Boolean>> deletions;

    /** @param deletions each deletes some rows in a transaction, and says whether there may be more */
    public LeaderDeletions(String name, Leadership leadership, List<FencedWork<Boolean>> deletions) {
        super(name, leadership);
        this.deletions = deletions;
    }

    @Override
    protected Duration firstWait() {
        return FIRST_WAIT;
    }

    @Override
    protected Duration lead() {
        Each.of(deletions, this::whileThereIsMore);
        return PERIOD;
    }

    private void whileThereIsMore(FencedWork<Boolean> deletion) {
        boolean more = true;
        while (more && !loop().stopping()) {
            more = leadership().fenced(deletion);
        }
    }
}
