package dev.muster.lock;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Locks with a name, for the whole cluster.
 *
 * <pre>{@code
 * try (HeldLock lock = muster.locks().tryAcquire("nightly-export", Duration.ofMinutes(5)).orElse(null)) {
 *     if (lock != null) {
 *         export(lock.fence());
 *     }
 * }
 * }</pre>
 */
public interface Locks {

    /**
     * Takes the lock, or returns empty if someone holds it, be it this node: locks are not re-entrant.
     *
     * @param ttl how long it lasts unless renewed, 100ms to 365d
     * @throws dev.muster.runtime.Names.InvalidName if the name is not well formed
     */
    Optional<HeldLock> tryAcquire(String name, Duration ttl);

    /** The locks that are held. */
    List<LockInfo> list();
}
