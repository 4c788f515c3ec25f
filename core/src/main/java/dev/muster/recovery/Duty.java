package dev.muster.recovery;

import dev.muster.leader.Leadership;
import dev.muster.leader.Leadership.FencedWork;
import java.time.Duration;

/** Work of the scheduler leader, which any node does while there is none. */
public final class Duty {
    private final Leadership leadership;
    private final Transactions standIn;
    private final Duration lease;

    /** Runs work in a transaction of its own, with the settings that statements about jobs need. */
    @FunctionalInterface
    public interface Transactions {
        <T> T run(FencedWork<T> work);
    }

    /**
     * @param standIn for work without a leader
     * @param lease of leaders: after so long without one, anybody stands in
     */
    public Duty(Leadership leadership, Transactions standIn, Duration lease) {
        this.leadership = leadership;
        this.standIn = standIn;
        this.lease = lease;
    }

    /** Whether the work is this node's at the moment. Asks nobody. */
    public boolean isMine() {
        return leadership.isLeader() || isVacant();
    }

    private boolean isVacant() {
        return leadership.vacantFor().compareTo(lease) >= 0;
    }

    /**
     * Does a piece of it.
     *
     * @throws dev.muster.leader.StaleLeader if it was not this node's after all; nothing was written
     */
    public <T> T run(FencedWork<T> work) {
        return leadership.isLeader() || !isVacant() ? leadership.fenced(work) : standIn.run(work);
    }
}
