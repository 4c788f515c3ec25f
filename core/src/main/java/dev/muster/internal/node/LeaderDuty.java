package dev.muster.internal.node;

import dev.muster.internal.cluster.NodeStore.Duty;
import dev.muster.leader.Leadership;
import java.time.Duration;
import java.util.Set;

/**
 * A leader's work on things that are not always there, such as live graphs. The node learns with its other duties whether they are; while
 * they are not, this part sends no statement. A node on which the work keeps failing gives up leading.
 */
public abstract class LeaderDuty extends LeaderLoop {
    private static final Duration UNTIL_ASKED = Duration.ofMinutes(1);

    private final Duty duty;
    private volatile boolean asked;

    /** Whether it waits for a minute; a node that leads again must not. */
    private volatile boolean idle = true;

    /** @param name the name of the part and of its thread */
    protected LeaderDuty(String name, Duty duty, Leadership leadership) {
        super(name, leadership);
        this.duty = duty;
    }

    /** Does some of the work and returns how long to wait before the next time. */
    protected abstract Duration work();

    /** This node does not lead, or there is nothing to work on. Another node may do the work until {@link #work} is called again. */
    protected void idle() {}

    @Override
    public void due(Set<Duty> duties) {
        asked = duties.contains(duty);
        if (asked && idle) {
            loop().wake();
        }
    }

    @Override
    public Duration unfitToLeadFor() {
        return loop().failingFor();
    }

    @Override
    protected final Duration lead() {
        if (!asked) {
            return notLeading();
        }
        idle = false;
        return work();
    }

    @Override
    protected final Duration notLeading() {
        idle = true;
        idle();
        return UNTIL_ASKED;
    }
}
