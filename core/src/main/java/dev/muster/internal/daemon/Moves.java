package dev.muster.internal.daemon;

import dev.muster.internal.daemon.DaemonStore.Survey;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * When this node may give up a daemon in favour of another node that runs fewer: one at a time, and for a while none if a daemon came straight
 * back. Used by one thread.
 */
final class Moves {
    /** After a move that led nowhere no daemon is moved for this long, or until nodes have come or gone. */
    private static final Duration NONE = Duration.ofMinutes(10);

    private final Duration pause;

    /** The daemon that this node has released in favour of another node, until that one has claimed it. */
    private @Nullable String moved;

    private int peers;
    private long nextAt;

    /**
     * @param pause between two moves
     * @param now of the node's own clock, as are all times here
     */
    Moves(Duration pause, long now) {
        this.pause = pause;
        this.nextAt = now;
    }

    /** The daemons were looked at. */
    void surveyed(Survey survey, Set<String> running, long now) {
        if (survey.peers() != peers) {
            // A node that crashed looks alive for a while, so daemons may have been released for it in vain.
            peers = survey.peers();
            nextAt = Math.min(nextAt - now, pause.toNanos()) + now;
        }
        if (moved != null && !survey.free() && !running.contains(moved)) {
            // Another node has claimed it: if it comes back later, that move has not led nowhere.
            moved = null;
        }
    }

    /** This node has claimed a daemon. If it is the one that was to move, no other node wanted it. */
    void claimed(String daemon, long now) {
        if (daemon.equals(moved)) {
            nextAt = now + NONE.toNanos();
        }
    }

    boolean mayMove(long now) {
        return nextAt - now <= 0;
    }

    void moved(String daemon, long now) {
        moved = daemon;
        nextAt = now + pause.toNanos();
    }

    long untilNext(long now) {
        return Math.max(nextAt - now, 0);
    }
}
