package dev.muster.internal.lock;

import dev.muster.job.Fence;
import dev.muster.lock.LockInfo;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The port to the table of locks. */
public interface LockStore {

    /** Acquires the lock if it is free or has expired. */
    Optional<Fence> acquire(String name, String node, Duration ttl);

    /** Extends the lock to this time from now; false if it has another token or has expired. */
    boolean renew(String name, long token, Duration ttl);

    /** Frees the lock; false if it has another token or has expired. */
    boolean release(String name, long token);

    /** The locks that are held. */
    List<LockInfo> list();
}
