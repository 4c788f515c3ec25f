package dev.muster.node;

import dev.muster.leader.Leadership;
import dev.muster.leader.Leadership.FencedWork;
import dev.muster.leader.StaleLeader;
import dev.muster.runtime.LoopService;
import java.time.Duration;
import java.util.List;

/** Deletes what a feature keeps no longer, every ten minutes, on the node that leads. */
public final class Retention extends LoopService implements NodePart {
    private static final Duration PERIOD = Duration.ofMinutes(10);
    private static final Duration UNTIL_LEADING = Duration.ofSeconds(2);

    private final Leadership leadership;
    private final List<FencedWork<Boolean>> deletions;

    /** @param deletions each deletes some rows in a transaction, and says whether there may be more */
    public Retention(String name, Leadership leadership, List<FencedWork<Boolean>> deletions) {
        super(name);
        this.leadership = leadership;
        this.deletions = deletions;
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
            deletions.forEach(this::whileThereIsMore);
            return PERIOD;
        } catch (StaleLeader e) {
            return UNTIL_LEADING;
        }
    }

    private void whileThereIsMore(FencedWork<Boolean> deletion) {
        boolean more = true;
        while (more && !loop().stopping()) {
            more = leadership.fenced(deletion);
        }
    }
}
