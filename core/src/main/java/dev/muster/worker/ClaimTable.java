package dev.muster.worker;

import dev.muster.job.store.ClaimRef;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The claims a node holds, and room promised to claims on their way. */
final class ClaimTable {
    private final ConcurrentHashMap<ClaimRef, OpenClaim> open = new ConcurrentHashMap<>();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong characters = new AtomicLong();
    private final Consumer<OpenClaim> onClosed;

    /** @param onClosed told of every claim that leaves the table */
    ClaimTable(Consumer<OpenClaim> onClosed) {
        this.onClosed = onClosed;
    }

    /** Claims held, with those asked for and not yet answered. */
    int count() {
        return count.get();
    }

    void reserve(int claims) {
        count.addAndGet(claims);
    }

    void unreserve(int claims) {
        count.addAndGet(-claims);
    }

    /** Adds a claim that had been reserved. */
    void add(OpenClaim claim) {
        if (open.put(claim.ref(), claim) == null) {
            characters.addAndGet(claim.characters());
        }
    }

    /** Characters of args and metadata that came with the claims held. */
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
            count.decrementAndGet();
            characters.addAndGet(-claim.characters());
            onClosed.accept(claim);
        }
        return claim;
    }

    Collection<OpenClaim> all() {
        return open.values();
    }
}
