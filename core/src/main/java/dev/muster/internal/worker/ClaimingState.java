package dev.muster.internal.worker;

import dev.muster.runtime.Clock;

/** Whether a node may claim jobs now, and which jobs that it has claimed it still may run. */
final class ClaimingState {
    private final Clock clock;
    private volatile boolean draining;
    private volatile boolean suspended;
    private volatile long workingSince;

    ClaimingState(Clock clock) {
        this.clock = clock;
        this.workingSince = clock.nanos();
    }

    /** The node claims nothing from now on. */
    void drain() {
        draining = true;
    }

    /** The node claims nothing until {@link #resume()}. */
    void suspend() {
        suspended = true;
    }

    void resume() {
        workingSince = clock.nanos();
        suspended = false;
    }

    boolean mayClaim() {
        return !draining && !suspended;
    }

    /** Whether jobs may run that were requested then. If the node was suspended since, they may not, even if it works again by now. */
    boolean covers(long askedAt) {
        return mayClaim() && askedAt - workingSince >= 0;
    }
}
