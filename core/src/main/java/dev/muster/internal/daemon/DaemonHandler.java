package dev.muster.internal.daemon;

import dev.muster.daemon.DaemonContext;
import dev.muster.internal.runtime.Names;
import dev.muster.job.BackoffPolicy;
import dev.muster.runtime.MusterException;
import java.time.Duration;

/**
 * A registered daemon.
 *
 * @param maxRestarts negative for no limit
 * @param backoff how long to wait before a restart; the other parts of the policy are ignored
 */
public record DaemonHandler(
        String name, boolean perNode, Duration startDelay, int maxRestarts, BackoffPolicy backoff, Body body) {

    public DaemonHandler {
        Names.require("daemon name", name);
        if (maxRestarts < -1) {
            throw new MusterException("maxRestarts must be -1 (no limit) or more, not " + maxRestarts);
        }
    }

    /** The user's code. */
    @FunctionalInterface
    public interface Body {
        void run(DaemonContext context) throws Exception;
    }

    /** Whether the daemon was restarted so often that it counts as failed. */
    boolean gaveUp(int restarts) {
        return maxRestarts >= 0 && restarts > maxRestarts;
    }
}
