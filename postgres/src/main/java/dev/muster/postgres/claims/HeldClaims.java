package dev.muster.postgres.claims;

import dev.muster.job.JobId;
import dev.muster.job.store.ClaimRef;
import dev.muster.job.store.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * What this node remembers of its claims beside what the database knows, to make their end cheaper.
 *
 * <ul>
 *   <li>Where a job's row stood when it was claimed. Most jobs are over before anything else is written about them, and
 *       their rows are then found without an index. Whoever writes to a claimed row forgets its place; a write of another
 *       node's goes unseen, and the hint misses.
 *   <li>With which others it was claimed, so that the note in {@code muster_claims} goes soon after the last of them. A
 *       claim is settled when it is known not to be current any more: its outcome is committed, or it is lost. So a note
 *       never goes too early; one that is left behind is found by the sweep.
 * </ul>
 */
public final class HeldClaims {
    /** A power of two. Tokens ascend, so two that share a slot are far apart in time; the older one is forgotten. */
    private static final int SLOTS = 1 << 16;

    private static final long NO_PLACE = -1;

    private final AtomicReferenceArray<@Nullable Held> slots = new AtomicReferenceArray<>(SLOTS);
    private final Queue<Batch> over = new ConcurrentLinkedQueue<>();

    /** Jobs that were claimed by one statement. */
    static final class Batch {
        final long number;

        /** One of them. */
        final JobId witness;

        private final AtomicInteger left = new AtomicInteger();

        Batch(long number, JobId witness) {
            this.number = number;
            this.witness = witness;
        }
    }

    private static final class Held {
        final ClaimRef claim;
        final Batch batch;
        volatile long place;

        Held(ClaimRef claim, Batch batch, long place) {
            this.claim = claim;
            this.batch = batch;
            this.place = place;
        }
    }

    /** To be called for all of a batch before any of them is settled. */
    void remember(ClaimRef claim, long place, Batch batch) {
        batch.left.incrementAndGet();
        slots.set(slot(claim), new Held(claim, batch, place));
    }

    private static int slot(ClaimRef claim) {
        return (int) claim.token() & (SLOTS - 1);
    }

    private @Nullable Held find(ClaimRef claim) {
        Held held = slots.get(slot(claim));
        return held != null && held.claim.equals(claim) ? held : null;
    }

    public void forgetPlaces(Collection<ClaimRef> claims) {
        for (ClaimRef claim : claims) {
            Held held = find(claim);
            if (held != null) {
                held.place = NO_PLACE;
            }
        }
    }

    /** The places of all these outcomes' rows, or null if some are not known. */
    long @Nullable [] places(List<Outcome> outcomes) {
        long[] places = new long[outcomes.size()];
        for (int i = 0; i < places.length; i++) {
            Held held = find(outcomes.get(i).claim());
            if (held == null || held.place == NO_PLACE) {
                return null;
            }
            places[i] = held.place;
        }
        return places.length == 0 ? null : places;
    }

    /** It is known not to be a current claim any more. */
    public void settled(ClaimRef claim) {
        Held held = find(claim);
        if (held != null && slots.compareAndSet(slot(claim), held, null) && held.batch.left.decrementAndGet() == 0) {
            over.add(held.batch);
        }
    }

    /** Whether there are batches of which nothing is left. */
    boolean anyOver() {
        return !over.isEmpty();
    }

    /** The batches of which nothing is left; each is named once, to whoever asks first. */
    List<Batch> takeOver() {
        List<Batch> batches = new ArrayList<>();
        for (Batch batch = over.poll(); batch != null; batch = over.poll()) {
            batches.add(batch);
        }
        return batches;
    }

    /** They could not be forgotten just now. */
    void stillOver(List<Batch> batches) {
        over.addAll(batches);
    }
}
