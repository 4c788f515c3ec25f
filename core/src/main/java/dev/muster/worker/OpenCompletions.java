package dev.muster.worker;

import dev.muster.job.store.JobStore;
import dev.muster.job.store.JobStore.CompletionState;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** Claims whose handler is over while the transaction it completed in is not, or could not be asked about. */
final class OpenCompletions {
    private final ConcurrentLinkedQueue<Waiting> waiting = new ConcurrentLinkedQueue<>();

    private record Waiting(OpenClaim claim, @Nullable Throwable failure) {}

    /** Called with what became of a completion. */
    @FunctionalInterface
    interface Settled {
        void accept(OpenClaim claim, CompletionState state, @Nullable Throwable failure);
    }

    void add(OpenClaim claim, @Nullable Throwable failure) {
        waiting.add(new Waiting(claim, failure));
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Asks the database about each. */
    void check(JobStore store, Settled settled) {
        for (Waiting one : waiting) {
            CompletionState state = store.completionOf(one.claim.ref());
            if (state != CompletionState.OPEN) {
                waiting.remove(one);
                settled.accept(one.claim, state, one.failure);
            }
        }
    }
}
