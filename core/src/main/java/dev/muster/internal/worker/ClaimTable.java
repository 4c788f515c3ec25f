package dev.muster.internal.worker;

import dev.muster.internal.job.store.ClaimRef;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The claims that a node holds, of all its executors. */
final class ClaimTable {
    private final ConcurrentHashMap<ClaimRef, OpenClaim> open = new ConcurrentHashMap<>();
    private final AtomicLong characters = new AtomicLong();

    /** Adds a claim for which its executor has reserved room. */
    void add(OpenClaim claim) {
        if (open.put(claim.ref(), claim) == null) {
            characters.addAndGet(claim.characters());
        }
    }

    /** How many characters of args and metadata came with the claims that are held. */
    long characters() {
        return characters.get();
    }

    @Nullable
    OpenClaim get(ClaimRef ref) {
        return open.get(ref);
    }

    @Nullable
    OpenClaim remove(ClaimRef ref) {
        OpenClaim claim = open.remove(ref);
        if (claim != null) {
            characters.addAndGet(-claim.characters());
            claim.executor().closed(claim);
        }
        return claim;
    }

    Collection<OpenClaim> all() {
        return open.values();
    }
}
