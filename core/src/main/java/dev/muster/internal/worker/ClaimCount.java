package dev.muster.internal.worker;

import java.util.concurrent.atomic.AtomicInteger;

/** How many claims an executor holds, including the room reserved for claims that it has requested. */
final class ClaimCount {
    private final AtomicInteger count = new AtomicInteger();

    int get() {
        return count.get();
    }

    void reserve(int claims) {
        count.addAndGet(claims);
    }

    void unreserve(int claims) {
        count.addAndGet(-claims);
    }

    /** One of the claims is no longer held. */
    void closed() {
        count.decrementAndGet();
    }
}
