package dev.muster.internal.worker;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Room for one running job, and the job that uses it. A slot whose handler ignores its interruption after its claim has ended is stuck: it
 * cannot be used by other jobs until the handler returns. So is one whose claim was handed over and given up, because nobody ran it.
 */
final class JobSlot {
    private static final Logger log = LoggerFactory.getLogger(JobSlot.class);

    private final JobRunner runner;
    private final Runnable onFreed;
    private volatile @Nullable Thread thread;
    private volatile @Nullable OpenClaim current;
    private volatile boolean handedOver;

    /** @param onFreed called whenever the slot may have counted as stuck and no longer does */
    JobSlot(JobRunner runner, Runnable onFreed) {
        this.runner = runner;
        this.onFreed = onFreed;
    }

    /** The claim that uses this slot now, including one that has ended; null if the slot is free. */
    @Nullable
    OpenClaim current() {
        return current;
    }

    boolean runsOn(Thread other) {
        return thread == other;
    }

    /** Gives the slot to a claim that another thread runs soon. */
    void take(OpenClaim claim) {
        handedOver = true;
        current = claim;
    }

    /** Runs a claim to its end on the current thread. */
    void run(OpenClaim claim) {
        handedOver = false;
        current = claim;
        thread = Thread.currentThread();
        try {
            runner.run(claim);
        } catch (Throwable e) {
            // The slot is used again, and the claim must not stay open without a thread.
            runner.broken(claim, e);
            log.error("job={} could not be run to its end", claim.job().id(), e);
        } finally {
            claim.leaveThread();
            free(claim);
        }
    }

    /** The claim no longer uses the slot. */
    void free(OpenClaim claim) {
        boolean neverRun = handedOver;
        handedOver = false;
        thread = null;
        current = null;
        if (claim.stopReason() != null || neverRun) {
            // The slot may have counted as stuck until here, so there is room only now.
            onFreed.run();
        }
    }

    boolean isStuck() {
        OpenClaim claim = current;
        if (claim == null || claim.isBuffered()) {
            return false;
        }
        if (claim.stopReason() == null) {
            // Its claim has ended, and still nobody has begun to run it.
            return handedOver && !claim.isRunning() && current == claim;
        }
        if (claim.isRunning() && !claim.handlerGivenUp()) {
            return false;
        }
        // If the claim is still current now, its thread will also see the stop, and report when it is free.
        return current == claim;
    }
}
