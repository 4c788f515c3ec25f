package dev.muster.internal.lock;

import dev.muster.job.Fence;
import dev.muster.lock.HeldLock;
import dev.muster.runtime.Clock;
import java.time.Duration;

/** {@link HeldLock} over a {@link LockStore}. */
final class DatabaseLock implements HeldLock {
    private final LockStore store;
    private final String name;
    private final Fence fence;
    private final Duration ttl;
    private final Clock clock;
    private volatile long endsAt;
    private volatile boolean over;

    /** @param askedAt when the request was sent, by this clock: the lock's time may have started then */
    DatabaseLock(LockStore store, String name, Fence fence, Duration ttl, Clock clock, long askedAt) {
        this.store = store;
        this.name = name;
        this.fence = fence;
        this.ttl = ttl;
        this.clock = clock;
        this.endsAt = askedAt + ttl.toNanos();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Fence fence() {
        return fence;
    }

    @Override
    public long token() {
        return fence.token();
    }

    @Override
    public boolean isHeld() {
        return !over && endsAt - clock.nanos() > 0;
    }

    @Override
    public boolean renew() {
        return renew(ttl);
    }

    @Override
    public boolean renew(Duration ttl) {
        DatabaseLocks.check(ttl);
        long askedAt = clock.nanos();
        // The database may store a shorter time even if its answer is lost.
        endsAt -= Math.max(0, endsAt - askedAt - ttl.toNanos());
        if (over || !store.renew(name, fence.token(), ttl)) {
            over = true;
            return false;
        }
        endsAt = askedAt + ttl.toNanos();
        return true;
    }

    @Override
    public boolean release() {
        if (over) {
            return false;
        }
        over = true;
        return store.release(name, fence.token());
    }

    @Override
    public void close() {
        release();
    }

    @Override
    public String toString() {
        return "lock " + name + " token " + fence.token();
    }
}
