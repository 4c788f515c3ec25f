package dev.muster.internal.worker;

import dev.muster.internal.job.store.ClaimStore;
import dev.muster.internal.job.store.ClaimStore.CompletionState;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** Claims whose handler has returned while its {@code completeIn} transaction is still open, or could not be checked. */
final class OpenCompletions {
    private final ConcurrentLinkedQueue<Waiting> waiting = new ConcurrentLinkedQueue<>();

    private record Waiting(OpenClaim claim, @Nullable Throwable failure) {}

    /** Receives the final state of a completion. */
    @FunctionalInterface
    interface CompletionListener {
        void accept(OpenClaim claim, CompletionState state, @Nullable Throwable failure);
    }

    void add(OpenClaim claim, @Nullable Throwable failure) {
        waiting.add(new Waiting(claim, failure));
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Checks each of them in the database. */
    void check(ClaimStore store, CompletionListener completionKnown) {
        for (Waiting one : waiting) {
            CompletionState state = store.completionOf(one.claim.ref());
            if (state != CompletionState.OPEN) {
                waiting.remove(one);
                completionKnown.accept(one.claim, state, one.failure);
            }
        }
    }
}
