package dev.muster.gateway;

import dev.muster.cluster.NodeStatus;
import dev.muster.gateway.route.Refusal;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Decides whether a request is served now, and knows how many are. */
final class Admission {
    /** For so long all places may be taken by the same requests before nobody should be sent here any more. */
    private static final Duration LONGEST_STANDSTILL = Duration.ofSeconds(10);

    private final int most;
    private final String busy;
    private final Semaphore free;
    private final Supplier<NodeStatus> status;
    private final Clock clock;
    private volatile long lastMove;
    private volatile boolean refusing;

    /**
     * @param most how many requests may be handled at the same time
     * @param busy what a request is told that comes when all places are taken
     * @param status the node's status as it knows it itself
     */
    private Admission(int most, String busy, Supplier<NodeStatus> status, Clock clock) {
        this.most = most;
        this.busy = busy;
        this.free = new Semaphore(most);
        this.status = status;
        this.clock = clock;
    }

    /** Of requests to the API. */
    static Admission ofRequests(int most, Supplier<NodeStatus> status, Clock clock) {
        return new Admission(
                most, "this node handles " + most + " requests already, which is gateway.max_requests", status, clock);
    }

    /** Of requests for files, which need no key: however many there are, they take no place of the API's callers. */
    static Admission ofFiles(int most, Supplier<NodeStatus> status, Clock clock) {
        return new Admission(most, "this node sends " + most + " files of the dashboard already", status, clock);
    }

    /**
     * Admits a request; {@link #leave} must follow.
     *
     * @throws Refusal if it cannot be served now
     */
    void enter() {
        if (refusing) {
            throw draining();
        }
        if (status.get() == NodeStatus.JOINING) {
            throw Refusal.unavailable("starting", "this node is starting; try again soon");
        }
        // Before the place is taken: the last one must not be seen with the time of an earlier move.
        if (free.availablePermits() > 0) {
            lastMove = clock.nanos();
        }
        if (!free.tryAcquire()) {
            throw Refusal.unavailable("busy", busy);
        }
        // refuse() may have been called since the first look; awaitEmpty() must not miss this request.
        if (refusing) {
            free.release();
            throw draining();
        }
    }

    /** What requests are told from the moment on from which none is admitted. */
    static Refusal draining() {
        return Refusal.unavailable("draining", "this node is leaving the cluster; another gateway serves")
                .header("Connection", "close");
    }

    void leave() {
        lastMove = clock.nanos();
        free.release();
    }

    /**
     * Whether all places have been taken for ten seconds, and nobody has come or gone since. A gateway that is merely busy, whose requests end
     * and make room for others, does not stand still.
     */
    boolean standsStill() {
        return free.availablePermits() == 0 && clock.nanos() - lastMove > LONGEST_STANDSTILL.toNanos();
    }

    int active() {
        return most - free.availablePermits();
    }

    /** Admits no request from now on. */
    void refuse() {
        refusing = true;
    }

    boolean isRefusing() {
        return refusing;
    }

    /** Waits until no request is handled, and returns whether that was so within the limit. */
    boolean awaitEmpty(Duration limit) throws InterruptedException {
        boolean empty = free.tryAcquire(most, limit.toNanos(), TimeUnit.NANOSECONDS);
        if (empty) {
            free.release(most);
        }
        return empty;
    }
}
