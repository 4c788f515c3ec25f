package dev.muster.lock;

import dev.muster.job.Fence;
import java.time.Duration;

/** A lock that this node has acquired. It lasts until it is released or expires. */
public interface HeldLock extends AutoCloseable {

    String name();

    /** Orders the holders of this lock. A store of yours should reject writes with a fence below the highest it has seen. */
    Fence fence();

    /** The fence without its timeline, as in {@code muster_locks.token}. */
    long token();

    /** Whether this node still holds the lock, as far as it knows: not released, not found lost, not expired by its clock. */
    boolean isHeld();

    /** Extends the lock by its original duration, from now. Returns false if the lock is lost; it cannot be renewed then. */
    boolean renew();

    boolean renew(Duration ttl);

    /** Releases the lock. Returns false if this node no longer held it. */
    boolean release();

    /** Releases the lock, if this node still holds it. */
    @Override
    void close();
}
