package dev.muster.lock;

import dev.muster.job.Fence;
import dev.muster.runtime.Clock;
import java.time.Duration;

/** A lock that this node took. It lasts until released or until its time is up. */
public final class HeldLock implements AutoCloseable {
    private final LockStore store;
    private final String name;
    private final Fence fence;
    private final Duration ttl;
    private final Clock clock;
    private volatile long endsAt;
    private volatile boolean over;

    /** @param askedAt when the lock was asked for, by the clock: its time may run from then */
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

    /** Orders the holders of this lock for the user's own stores: accept no write below the highest seen. */
    public Fence fence() {
        return fence;
    }

    /** The fence without its timeline, as in {@code muster_locks.token}. */
    public long token() {
        return fence.token();
    }

    /** Whether it may still be taken for held: neither released, nor found lost, nor out of time by this node's clock. */
    public boolean isHeld() {
        return !over && endsAt - clock.nanos() > 0;
    }

    /** Makes it last as long again as it was taken for, from now. False: it is lost, and stays so. */
    public boolean renew() {
        return renew(ttl);
    }

    public boolean renew(Duration ttl) {
        StoredLocks.check(ttl);
        long askedAt = clock.nanos();
        // A shorter time may be written and its acknowledgement be lost.
        endsAt -= Math.max(0, endsAt - askedAt - ttl.toNanos());
        if (over || !store.renew(name, fence.token(), ttl)) {
            over = true;
            return false;
        }
        endsAt = askedAt + ttl.toNanos();
        return true;
    }

    /** Gives it back. False: it was no longer this node's. */
    public boolean release() {
        if (over) {
            return false;
        }
        over = true;
        return store.release(name, fence.token());
    }

    /** Same as {@link #release()}. */
    @Override
    public void close() {
        release();
    }

    @Override
    public String toString() {
        return "lock " + name + " token " + fence.token();
    }
}
