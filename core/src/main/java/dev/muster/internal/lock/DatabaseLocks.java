package dev.muster.internal.lock;

import dev.muster.internal.runtime.Names;
import dev.muster.lock.HeldLock;
import dev.muster.lock.LockInfo;
import dev.muster.lock.Locks;
import dev.muster.runtime.Clock;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** {@link Locks} over a {@link LockStore}. */
public final class DatabaseLocks implements Locks {
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofDays(365);

    private final LockStore store;
    private final String node;
    private final Clock clock;

    public DatabaseLocks(LockStore store, String node, Clock clock) {
        this.store = store;
        this.node = node;
        this.clock = clock;
    }

    @Override
    public Optional<HeldLock> tryAcquire(String name, Duration ttl) {
        Names.require("lock name", name);
        check(ttl);
        long askedAt = clock.nanos();
        return store.acquire(name, node, ttl).map(fence -> new DatabaseLock(store, name, fence, ttl, clock, askedAt));
    }

    static void check(Duration ttl) {
        if (ttl.compareTo(SHORTEST) < 0 || ttl.compareTo(LONGEST) > 0) {
            throw new MusterException("a lock lasts 100ms to 365d, not " + ttl);
        }
    }

    @Override
    public List<LockInfo> list() {
        return store.list();
    }
}
