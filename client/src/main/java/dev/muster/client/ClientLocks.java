package dev.muster.client;

import dev.muster.document.internal.LockDocument;
import dev.muster.lock.HeldLock;
import dev.muster.lock.LockInfo;
import dev.muster.lock.Locks;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The locks of the cluster over HTTP: a client can see them, and take none. */
final class ClientLocks implements Locks {
    private final Gateway gateway;

    ClientLocks(Gateway gateway) {
        this.gateway = gateway;
    }

    @Override
    public Optional<HeldLock> tryAcquire(String name, Duration ttl) {
        throw new NeedsDatabase("holding a lock");
    }

    @Override
    public List<LockInfo> list() {
        return gateway.get("/_api/locks").list("locks").stream()
                .map(LockDocument::read)
                .toList();
    }
}
