package dev.muster.internal.recovery;

import dev.muster.leader.Leadership;
import dev.muster.leader.Leadership.FencedWork;
import java.time.Duration;

/** Runs work of the scheduler leader on the leader, and on any node while the leader is gone. */
public final class LeaderOrStandIn {
    /** A leader that gives up its role is replaced within this time. */
    private static final Duration HANDOVER = Duration.ofSeconds(1);

    private final Leadership leadership;
    private final Transactions standIn;
    private final Duration silence;

    /** Runs work in its own transaction, with the settings that statements about jobs need. */
    @FunctionalInterface
    public interface Transactions {
        <T> T run(FencedWork<T> work);
    }

    /**
     * @param standIn runs the transactions while there is no leader
     * @param deadThreshold after this silence of the leader's node any node stands in, whatever the leader's row says
     */
    public LeaderOrStandIn(Leadership leadership, Transactions standIn, Duration deadThreshold) {
        this.leadership = leadership;
        this.standIn = standIn;
        this.silence = deadThreshold.plus(HANDOVER);
    }

    /** Whether this node has to do the work at the moment. Sends no statement. */
    public boolean isMine() {
        return leadership.isLeader() || leaderIsGone();
    }

    private boolean leaderIsGone() {
        return leadership.vacantFor().compareTo(HANDOVER) >= 0
                || leadership.leaderSilentFor().compareTo(silence) >= 0;
    }

    /**
     * Runs a piece of the work in a transaction, fenced if this node leads.
     *
     * @throws dev.muster.leader.StaleLeader if this node may not do the work after all; nothing was written
     */
    public <T> T run(FencedWork<T> work) {
        boolean standsIn = !leadership.isLeader() && leaderIsGone();
        // If this node neither leads nor stands in by now, fenced() throws StaleLeader.
        return standsIn ? standIn.run(work) : leadership.fenced(work);
    }
}
