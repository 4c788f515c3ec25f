package dev.muster.worker;

import dev.muster.job.store.ClaimRef;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The claims that a node holds, and the room reserved for claims that it has requested. */
final class ClaimTable {
    private final ConcurrentHashMap<ClaimRef, OpenClaim> open = new ConcurrentHashMap<>();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong characters = new AtomicLong();
    private final Consumer<OpenClaim> onClosed;

    /** @param onClosed called with every claim that leaves the table */
    ClaimTable(Consumer<OpenClaim> onClosed) {
        this.onClosed = onClosed;
    }

    /** How many claims are held or reserved. */
    int count() {
        return count.get();
    }

    void reserve(int claims) {
        count.addAndGet(claims);
    }

    void unreserve(int claims) {
        count.addAndGet(-claims);
    }

    /** How many claims are held only until their handlers, which ignore interruption, return. */
    int givenUp() {
        return (int) open.values().stream().filter(OpenClaim::handlerGivenUp).count();
    }

    /** Adds a claim for which room was reserved. */
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
