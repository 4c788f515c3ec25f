package dev.muster.lock;

import dev.muster.runtime.Writes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Named locks that hold in the whole cluster.
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
     * Acquires the lock, or returns empty if it is held, even by this node: locks are not re-entrant.
     *
     * @param ttl how long the lock lasts unless renewed, 100ms to 365d
     * @throws dev.muster.runtime.InvalidName if the name is not well formed
     */
    @Writes("take locks")
    Optional<HeldLock> tryAcquire(String name, Duration ttl);

    /** The locks that are held. */
    List<LockInfo> list();
}
