package dev.muster.postgres.internal.claims;

import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.db.Params;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * What this node remembers of its claims, to end them more cheaply.
 *
 * <ul>
 *   <li>The ctid of a job's row when it was claimed. Most jobs end before anything else is written to their row, which
 *       is then found without an index. Code that writes to a claimed row forgets its ctid; a write of another node is not
 *       noticed, and then the row is not found by its ctid.
 *   <li>The jobs that were claimed together, so that their note in {@code muster_claims} is deleted soon after the last of
 *       them. A claim is settled when it is known to be no longer current: its outcome is committed, or it is lost. So a note
 *       is never deleted too early; the sweep finds notes that are left behind.
 *   <li>Which claims use a place of a limited queue. These have a map of their own: a job may run for hours beside thousands of
 *       others per second, and whoever forgets it does not notice that its end frees a place.
 * </ul>
 */
public final class HeldClaims {
    /** A power of two. Tokens ascend, so two tokens with the same slot are far apart in time; the older one is forgotten. */
    private static final int SLOTS = 1 << 16;

    /** A node runs far fewer jobs of limited queues at a time. What is forgotten beyond that is mostly claims that nobody has ended here. */
    private static final int MOST_LIMITED = SLOTS;

    private static final long NO_CTID = -1;

    private final AtomicReferenceArray<@Nullable Held> slots = new AtomicReferenceArray<>(SLOTS);
    private final Map<ClaimRef, Held> ofLimitedQueues = Collections.synchronizedMap(new Bounded());
    private final Map<String, NotesSeen> notesSeen = new ConcurrentHashMap<>();
    private final Queue<ClaimNote> settled = new ConcurrentLinkedQueue<>();
    private final List<PlaceListener> placeListeners = new CopyOnWriteArrayList<>();

    /** The oldest claim goes first. */
    private static final class Bounded extends LinkedHashMap<ClaimRef, Held> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ClaimRef, Held> eldest) {
            return size() > MOST_LIMITED;
        }
    }

    /** The sessions of an executor, which use the places that jobs of this node free. All methods must be quick. */
    interface PlaceListener {
        /** Whether the calling thread is within a claim from this queue that counts the place as free. */
        boolean counts(String queue);

        /**
         * A place is free.
         *
         * @param session the session that has to use it, or to tell other nodes of it; null if a claim that counts it does so
         */
        void freed(String queue, @Nullable Object session);

        /** The queues of places that this executor has not looked for jobs for, although it has had to for a while. Others look now. */
        List<Lane> leaveUnused();
    }

    /** Jobs that were claimed by one statement. */
    static final class ClaimNote {
        final long number;

        /** One of the jobs, which identifies the note. */
        final JobId witness;

        /** The limited queue whose places the jobs use; null if their queue had no limit. */
        final @Nullable String limitedQueue;

        /** The session that has claimed them: it knows of further jobs in this queue, if anybody here does. */
        final Object session;

        private final AtomicInteger left = new AtomicInteger();

        ClaimNote(long number, JobId witness, @Nullable String limitedQueue, Object session) {
            this.number = number;
            this.witness = witness;
            this.limitedQueue = limitedQueue;
            this.session = session;
        }

        /** Binds {@code jobs/delete_notes.sql}. */
        static void bind(Params params, List<ClaimNote> settled, String node) throws SQLException {
            params.longs(settled.stream().mapToLong(note -> note.number).toArray())
                    .uuids(settled.stream().map(note -> note.witness.value()).toList())
                    .text(node);
        }
    }

    private static final class Held {
        final ClaimRef claim;
        final ClaimNote note;
        volatile long ctid;

        Held(ClaimRef claim, ClaimNote note, long ctid) {
            this.claim = claim;
            this.note = note;
            this.ctid = ctid;
        }
    }

    /** Must be called for all claims that a note names before any of them is settled. */
    void remember(ClaimRef claim, long ctid, ClaimNote note) {
        note.left.incrementAndGet();
        Held remembered = new Held(claim, note, ctid);
        if (note.limitedQueue == null) {
            slots.set(slot(claim), remembered);
        } else {
            ofLimitedQueues.put(claim, remembered);
        }
    }

    /** The transaction of these claims was rolled back, or nobody knows: then they are released as soon as that is known. */
    void forget(Collection<ClaimRef> claims) {
        claims.forEach(ofLimitedQueues::remove);
    }

    private static int slot(ClaimRef claim) {
        return (int) claim.token() & (SLOTS - 1);
    }

    private @Nullable Held find(ClaimRef claim) {
        Held held = slots.get(slot(claim));
        return held != null && held.claim.equals(claim) ? held : ofLimitedQueues.get(claim);
    }

    private boolean remove(Held held) {
        return held.note.limitedQueue == null
                ? slots.compareAndSet(slot(held.claim), held, null)
                : ofLimitedQueues.remove(held.claim, held);
    }

    public void forgetCtids(Collection<ClaimRef> claims) {
        for (ClaimRef claim : claims) {
            Held held = find(claim);
            if (held != null) {
                held.ctid = NO_CTID;
            }
        }
    }

    /** The ctids of the rows of all these outcomes; null if one is not known. */
    long @Nullable [] ctids(List<Outcome> outcomes) {
        long[] ctids = new long[outcomes.size()];
        for (int i = 0; i < ctids.length; i++) {
            Held held = find(outcomes.get(i).claim());
            if (held == null || held.ctid == NO_CTID) {
                return null;
            }
            ctids[i] = held.ctid;
        }
        return ctids.length == 0 ? null : ctids;
    }

    /** This claim is known to be no longer current. */
    public void closed(ClaimRef claim) {
        Held held = find(claim);
        if (held == null || !remove(held)) {
            return;
        }
        if (held.note.left.decrementAndGet() == 0) {
            settled.add(held.note);
        }
        String queue = held.note.limitedQueue;
        if (queue != null) {
            freedPlace(queue, held.note.session);
        }
    }

    /** Executors without a job for the place are left in peace: the one that has used it knows best whether there is a next one. */
    private void freedPlace(String queue, Object session) {
        boolean counted = false;
        for (PlaceListener listener : placeListeners) {
            counted |= listener.counts(queue);
        }
        for (PlaceListener listener : placeListeners) {
            listener.freed(queue, counted ? null : session);
        }
    }

    /** The queues of places that executors of this node leave to other nodes. */
    List<Lane> unusedPlaces() {
        List<Lane> lanes = new ArrayList<>();
        placeListeners.forEach(listener -> lanes.addAll(listener.leaveUnused()));
        return lanes;
    }

    /** Tells whenever a claim that used a place of a limited queue is no longer current. */
    void onFreedPlace(PlaceListener listener) {
        placeListeners.add(listener);
    }

    /** What is known of the notes of a limited queue. It is true whoever has found it, and however long ago. */
    NotesSeen notesSeen(String queue) {
        return notesSeen.getOrDefault(queue, NotesSeen.NONE);
    }

    void notesSeen(String queue, NotesSeen seen) {
        notesSeen.merge(queue, seen, NotesSeen::later);
    }

    /** The limited queue of which this claim uses a place; null if there is none. */
    @Nullable
    String limitedQueue(ClaimRef claim) {
        Held held = find(claim);
        return held == null ? null : held.note.limitedQueue;
    }

    /** Whether there are notes without any current claim. */
    boolean hasSettled() {
        return !settled.isEmpty();
    }

    /** Removes and returns the notes without any current claim; each is returned once. */
    List<ClaimNote> takeSettled() {
        List<ClaimNote> notes = new ArrayList<>();
        for (ClaimNote note = settled.poll(); note != null; note = settled.poll()) {
            notes.add(note);
        }
        return notes;
    }

    /** Puts notes back that could not be deleted. */
    void putBackSettled(List<ClaimNote> notes) {
        settled.addAll(notes);
    }
}
