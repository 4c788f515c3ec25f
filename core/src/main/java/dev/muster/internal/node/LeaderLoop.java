package dev.muster.internal.node;

import dev.muster.internal.runtime.LoopService;
import dev.muster.leader.Leadership;
import dev.muster.leader.StaleLeader;
import java.time.Duration;

/** A part that repeats its work on its own thread while this node leads. */
public abstract class LeaderLoop extends LoopService implements NodePart {
    private static final Duration UNTIL_LEADING = Duration.ofSeconds(2);

    private final Leadership leadership;
    private boolean settled;

    /** @param name the name of the part and of its thread */
    protected LeaderLoop(String name, Leadership leadership) {
        super(name);
        this.leadership = leadership;
    }

    /**
     * Does the leader's work and returns how long to wait before the next time.
     *
     * @throws StaleLeader if this node does not lead any more
     */
    protected abstract Duration lead();

    /** How long a node that has begun to lead waits before it does this work for the first time. */
    protected Duration firstWait() {
        return Duration.ZERO;
    }

    /** This node does not lead: returns how long to wait before looking again. */
    protected Duration notLeading() {
        return UNTIL_LEADING;
    }

    protected final Leadership leadership() {
        return leadership;
    }

    @Override
    public Phase phase() {
        return Phase.CLUSTER;
    }

    @Override
    protected final Duration step() {
        if (!leadership.isLeader()) {
            settled = false;
            return notLeading();
        }
        if (!settled) {
            settled = true;
            if (!firstWait().isZero()) {
                return firstWait();
            }
        }
        try {
            return lead();
        } catch (StaleLeader e) {
            settled = false;
            return UNTIL_LEADING;
        }
    }
}
