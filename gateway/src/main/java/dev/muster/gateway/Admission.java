package dev.muster.gateway;

import dev.muster.cluster.NodeStatus;
import dev.muster.gateway.route.Refusal;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Decides whether a request is served now, and knows how many are. */
final class Admission {
    private final int most;
    private final Semaphore free;
    private final Supplier<NodeStatus> status;
    private volatile boolean refusing;

    /**
     * @param most how many requests may be handled at the same time
     * @param status the node's status as it knows it itself
     */
    Admission(int most, Supplier<NodeStatus> status) {
        this.most = most;
        this.free = new Semaphore(most);
        this.status = status;
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
        if (!free.tryAcquire()) {
            throw Refusal.unavailable(
                    "busy", "this node handles " + most + " requests already, which is gateway.max_requests");
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
        free.release();
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
