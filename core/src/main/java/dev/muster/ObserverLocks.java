package dev.muster;

import dev.muster.job.internal.ObserverJobs;
import dev.muster.lock.HeldLock;
import dev.muster.lock.LockInfo;
import dev.muster.lock.Locks;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The locks of an observer: reading works, acquiring is refused. */
record ObserverLocks(Locks locks) implements Locks {

    @Override
    public Optional<HeldLock> tryAcquire(String name, Duration ttl) {
        throw ObserverJobs.refusal("take locks");
    }

    @Override
    public List<LockInfo> list() {
        return locks.list();
    }
}
