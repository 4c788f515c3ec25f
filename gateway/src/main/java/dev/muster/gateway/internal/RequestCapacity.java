package dev.muster.gateway.internal;

import dev.muster.cluster.NodeStatus;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Decides whether a request is served now, and knows how many are.
 *
 * <p>The last quarter of the places is shared out: while no more than that is free, a caller that would have more places than are left for others
 * gets none. So one caller may take three quarters of them and not all, and however many callers want as much as they can get, somebody who comes
 * with a request now and then finds a place.
 */
final class RequestCapacity {
    /** For so long all places may be taken by the same requests before nobody should be sent here any more. */
    private static final Duration LONGEST_STANDSTILL = Duration.ofSeconds(10);

    /** The part of the places that nobody takes alone. */
    static final int SHARED_PART = 4;

    private static final int SHARED_PART_OF_FILES = 2;

    private final int most;

    /** When fewer places than these are free, they are shared out. */
    private final int shared;

    private final Words words;
    private final Semaphore free;
    private final Supplier<NodeStatus> status;
    private final Clock clock;
    private final Map<String, Integer> ofCaller = new ConcurrentHashMap<>();
    private volatile long lastMove;
    private volatile boolean refusing;

    /**
     * What those are told who get no place.
     *
     * @param busy if all places are taken
     * @param own if the caller has so many that others would find none; with the number of its own, and of those that are shared out
     * @param toStrangers whether nobody knows who they are: then it is the last answer on the connection
     */
    private record Words(String busy, String own, boolean toStrangers) {
        private Refusal refused(Refusal refusal) {
            return toStrangers ? refusal.header("Connection", "close") : refusal;
        }

        private Refusal refusedForOthers(String message) {
            return toStrangers
                    ? refused(Refusal.unavailable("busy", message))
                    : Refusal.of(429, "too_many_requests", message).retryAfter(Duration.ofSeconds(1));
        }
    }

    /**
     * @param most how many requests may be handled at the same time
     * @param shared when fewer places than these are free, they are shared out among callers
     * @param status the node's status as it knows it itself
     */
    private RequestCapacity(int most, int shared, Words words, Supplier<NodeStatus> status, Clock clock) {
        this.most = most;
        this.shared = shared;
        this.words = words;
        this.free = new Semaphore(most);
        this.status = status;
        this.clock = clock;
    }

    /** Of requests to the API. */
    static RequestCapacity ofRequests(int most, Supplier<NodeStatus> status, Clock clock) {
        return new RequestCapacity(most, most / SHARED_PART, ofApi(most), status, clock);
    }

    /** Of calls that gateways forward, which have shared out their own places. */
    static RequestCapacity ofForwardedCalls(int most, Supplier<NodeStatus> status, Clock clock) {
        return new RequestCapacity(most, 0, ofApi(most), status, clock);
    }

    private static Words ofApi(int most) {
        return new Words(
                "this node handles " + most + " requests already, which is gateway.max_requests",
                "this node handles %d requests of yours already, and its last %d places are for others;"
                        + " gateway.max_requests is " + most,
                false);
    }

    /**
     * Of requests for files, which need no key: however many there are, they take no place of the API's callers. Addresses share them as callers share
     * places of the API, but half of the places: one browser loads several files at once. Who gets no place loses the connection too: nobody knows who it
     * is, and it may have sent hundreds of requests at once, each of which takes time to refuse.
     */
    static RequestCapacity ofFiles(int most, Supplier<NodeStatus> status, Clock clock) {
        Words words = new Words(
                "this node sends " + most + " files of the dashboard already",
                "this node sends %d files of the dashboard to your address already, and its last %d places are for others",
                true);
        return new RequestCapacity(most, most / SHARED_PART_OF_FILES, words, status, clock);
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
            throw words.refused(Refusal.unavailable("starting", "this node is starting; try again soon"));
        }
        // Before the place is taken: the last one must not be seen with the time of an earlier move.
        if (free.availablePermits() > 0) {
            lastMove = clock.nanos();
        }
        if (!free.tryAcquire()) {
            throw words.refused(Refusal.unavailable("busy", words.busy()));
        }
        // refuse() may have been called since the first look; awaitEmpty() must not miss this request.
        if (refusing) {
            free.release();
            throw draining();
        }
    }

    /**
     * Says whose request it is that was admitted; {@link #leave(String)} must follow, and then {@link #leave()}.
     *
     * @throws Refusal if this caller has so many places that others would find none
     */
    void share(String caller) {
        int own = ofCaller.merge(caller, 1, Integer::sum);
        int left = free.availablePermits();
        if (own > 1 && left < shared && own > left) {
            leave(caller);
            throw words.refusedForOthers(String.format(words.own(), own - 1, shared));
        }
    }

    void leave(String caller) {
        ofCaller.computeIfPresent(caller, (name, count) -> count == 1 ? null : count - 1);
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
