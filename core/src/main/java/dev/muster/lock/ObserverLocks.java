package dev.muster.lock;

import dev.muster.runtime.ObserverRefusal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The locks of an observer: reading works, acquiring is refused. */
public record ObserverLocks(Locks locks) implements Locks {

    @Override
    public Optional<HeldLock> tryAcquire(String name, Duration ttl) {
        throw new ObserverRefusal("take locks");
    }

    @Override
    public List<LockInfo> list() {
        return locks.list();
    }
}
