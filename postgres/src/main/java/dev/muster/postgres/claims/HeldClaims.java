package dev.muster.postgres.claims;

import dev.muster.job.JobId;
import dev.muster.job.store.ClaimRef;
import dev.muster.job.store.Outcome;
import dev.muster.postgres.db.Params;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What this node remembers of its claims, to end them more cheaply.
 *
 * <ul>
 *   <li>The place (ctid) of a job's row when it was claimed. Most jobs end before anything else is written to their row, which
 *       is then found without an index. Code that writes to a claimed row forgets its place; a write of another node is not
 *       noticed, and then the row is not found at its place.
 *   <li>The jobs that were claimed together, so that their note in {@code muster_claims} is deleted soon after the last of
 *       them. A claim is settled when it is known to be no longer current: its outcome is committed, or it is lost. So a note
 *       is never deleted too early; the sweep finds notes that are left behind.
 * </ul>
 */
public final class HeldClaims {
    /** A power of two. Tokens ascend, so two tokens with the same slot are far apart in time; the older one is forgotten. */
    private static final int SLOTS = 1 << 16;

    private static final long NO_PLACE = -1;

    private final AtomicReferenceArray<@Nullable Held> slots = new AtomicReferenceArray<>(SLOTS);
    private final Queue<Batch> over = new ConcurrentLinkedQueue<>();
    private final List<Consumer<String>> onFreedPlace = new CopyOnWriteArrayList<>();

    /** Jobs that were claimed by one statement. */
    static final class Batch {
        final long number;

        /** One of the jobs, which identifies the batch. */
        final JobId witness;

        /** The limited queue whose places the jobs use; null if their queue had no limit. */
        final @Nullable String limitedQueue;

        private final AtomicInteger left = new AtomicInteger();

        Batch(long number, JobId witness) {
            this(number, witness, null);
        }

        Batch(long number, JobId witness, @Nullable String limitedQueue) {
            this.number = number;
            this.witness = witness;
            this.limitedQueue = limitedQueue;
        }

        /** Binds {@code jobs/delete_notes.sql}. */
        static void bind(Params params, List<Batch> over, String node) throws SQLException {
            params.longs(over.stream().mapToLong(batch -> batch.number).toArray())
                    .uuids(over.stream().map(batch -> batch.witness.value()).toList())
                    .text(node);
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

    /** Must be called for all claims of a batch before any of them is settled. */
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

    /** The places of the rows of all these outcomes; null if one is not known. */
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

    /** This claim is known to be no longer current. */
    public void closed(ClaimRef claim) {
        Held held = find(claim);
        if (held == null || !slots.compareAndSet(slot(claim), held, null)) {
            return;
        }
        if (held.batch.left.decrementAndGet() == 0) {
            over.add(held.batch);
        }
        String queue = held.batch.limitedQueue;
        if (queue != null) {
            onFreedPlace.forEach(listener -> listener.accept(queue));
        }
    }

    /** Tells whenever a claim that used a place of a limited queue is no longer current. The listener is told the queue, and must be quick. */
    void onFreedPlace(Consumer<String> listener) {
        onFreedPlace.add(listener);
    }

    /** The limited queue of which this claim uses a place; null if there is none. */
    @Nullable
    String limitedQueue(ClaimRef claim) {
        Held held = find(claim);
        return held == null ? null : held.batch.limitedQueue;
    }

    /** Whether there are batches without any current claim. */
    boolean anyOver() {
        return !over.isEmpty();
    }

    /** Removes and returns the batches without any current claim; each is returned once. */
    List<Batch> takeOver() {
        List<Batch> batches = new ArrayList<>();
        for (Batch batch = over.poll(); batch != null; batch = over.poll()) {
            batches.add(batch);
        }
        return batches;
    }

    /** Puts batches back whose notes could not be deleted. */
    void stillOver(List<Batch> batches) {
        over.addAll(batches);
    }
}
