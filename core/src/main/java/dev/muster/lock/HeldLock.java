package dev.muster.lock;

import dev.muster.job.Fence;
import dev.muster.runtime.Clock;
import java.time.Duration;

/** A lock that this node has acquired. It lasts until it is released or expires. */
public final class HeldLock implements AutoCloseable {
    private final LockStore store;
    private final String name;
    private final Fence fence;
    private final Duration ttl;
    private final Clock clock;
    private volatile long endsAt;
    private volatile boolean over;

    /** @param askedAt when the request was sent, by this clock: the lock's time may have started then */
    HeldLock(LockStore store, String name, Fence fence, Duration ttl, Clock clock, long askedAt) {
        this.store = store;
        this.name = name;
        this.fence = fence;
        this.ttl = ttl;
        this.clock = clock;
        this.endsAt = askedAt + ttl.toNanos();
    }

    public String name() {
        return name;
    }

    /** Orders the holders of this lock. A store of yours should reject writes with a fence below the highest it has seen. */
    public Fence fence() {
        return fence;
    }

    /** The fence without its timeline, as in {@code muster_locks.token}. */
    public long token() {
        return fence.token();
    }

    /** Whether this node still holds the lock, as far as it knows: not released, not found lost, not expired by its clock. */
    public boolean isHeld() {
        return !over && endsAt - clock.nanos() > 0;
    }

    /** Extends the lock by its original duration, from now. Returns false if the lock is lost; it cannot be renewed then. */
    public boolean renew() {
        return renew(ttl);
    }

    public boolean renew(Duration ttl) {
        StoredLocks.check(ttl);
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

    /** Releases the lock. Returns false if this node no longer held it. */
    public boolean release() {
        if (over) {
            return false;
        }
        over = true;
        return store.release(name, fence.token());
    }

    /** Releases the lock, if this node still holds it. */
    @Override
    public void close() {
        release();
    }

    @Override
    public String toString() {
        return "lock " + name + " token " + fence.token();
    }
}
