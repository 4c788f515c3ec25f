package dev.muster.internal.worker;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Lets one suspect of a node run at a time, whichever executor it belongs to. A suspect has its turn until its claim is closed, with
 * its outcome written: were the next suspect to kill the node before that, the first one would be charged for it.
 */
final class SuspectTurn {
    private final AtomicReference<@Nullable OpenClaim> running = new AtomicReference<>();
    private final List<LocalBuffer> buffers = new CopyOnWriteArrayList<>();

    /** This buffer's suspects take part. */
    void join(LocalBuffer buffer) {
        buffers.add(buffer);
    }

    /** Gives the turn to this suspect; false if another one has it. */
    boolean begin(OpenClaim suspect) {
        return running.compareAndSet(null, suspect);
    }

    /** This claim is closed. If it had the turn, the next suspect may run. */
    void closed(OpenClaim claim) {
        if (claim.job().runsAlone() && running.compareAndSet(claim, null)) {
            buffers.forEach(LocalBuffer::wakeOneThread);
        }
    }

    /** Whether a suspect waits on this node for its turn. */
    boolean isAwaited() {
        return buffers.stream().anyMatch(buffer -> buffer.waitingSuspects() > 0);
    }
}
