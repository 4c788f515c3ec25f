package dev.muster.internal.lock;

import dev.muster.lock.HeldLock;
import dev.muster.lock.Locks;
import dev.muster.lock.StartupCoordinator;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The default {@link StartupCoordinator}, which uses {@link Locks} as leases. */
public final class LockStartupCoordinator implements StartupCoordinator {
    private static final String PREFIX = "startup:";

    private final Locks locks;
    private final Map<String, HeldLock> held = new ConcurrentHashMap<>();

    public LockStartupCoordinator(Locks locks) {
        this.locks = locks;
    }

    @Override
    public boolean tryAcquire(String name, Duration ttl) {
        return locks.tryAcquire(PREFIX + name, ttl)
                .map(lock -> {
                    held.put(name, lock);
                    return true;
                })
                .orElse(false);
    }

    @Override
    public void release(String name) {
        HeldLock lock = held.remove(name);
        if (lock != null) {
            lock.release();
        }
    }
}
