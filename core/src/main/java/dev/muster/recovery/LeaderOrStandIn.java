package dev.muster.recovery;

import dev.muster.leader.Leadership;
import dev.muster.leader.Leadership.FencedWork;
import java.time.Duration;

/** Work of the scheduler leader, which any node does while the leader is gone. */
public final class LeaderOrStandIn {
    /** A leader that gives up is replaced by then. */
    private static final Duration MOMENT = Duration.ofSeconds(1);

    private final Leadership leadership;
    private final Transactions standIn;
    private final Duration silence;

    /** Runs work in a transaction of its own, with the settings that statements about jobs need. */
    @FunctionalInterface
    public interface Transactions {
        <T> T run(FencedWork<T> work);
    }

    /**
     * @param standIn for work without a leader
     * @param deadThreshold after this silence of the leader's node anybody stands in, whatever the leader's row says
     */
    public LeaderOrStandIn(Leadership leadership, Transactions standIn, Duration deadThreshold) {
        this.leadership = leadership;
        this.standIn = standIn;
        this.silence = deadThreshold.plus(MOMENT);
    }

    /** Whether the work is this node's at the moment. Asks nobody. */
    public boolean isMine() {
        return leadership.isLeader() || leaderIsGone();
    }

    private boolean leaderIsGone() {
        return leadership.vacantFor().compareTo(MOMENT) >= 0
                || leadership.leaderSilentFor().compareTo(silence) >= 0;
    }

    /**
     * Does a piece of it.
     *
     * @throws dev.muster.leader.StaleLeader if it was not this node's after all; nothing was written
     */
    public <T> T run(FencedWork<T> work) {
        return leadership.isLeader() || !leaderIsGone() ? leadership.fenced(work) : standIn.run(work);
    }
}
