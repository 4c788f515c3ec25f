package dev.muster.internal.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The slots of an executor: as many as it runs jobs at once. */
final class JobSlots {
    private final List<JobSlot> slots = new ArrayList<>();

    /** @param onFreed called whenever a slot that may have counted as stuck no longer does */
    JobSlots(int size, JobRunner runner, Runnable onFreed) {
        for (int i = 0; i < size; i++) {
            slots.add(new JobSlot(runner, onFreed));
        }
    }

    List<JobSlot> all() {
        return slots;
    }

    /** The claims that use a slot now, including claims that have ended. */
    List<OpenClaim> current() {
        List<OpenClaim> claims = new ArrayList<>();
        for (JobSlot slot : slots) {
            OpenClaim claim = slot.current();
            if (claim != null) {
                claims.add(claim);
            }
        }
        return claims;
    }

    /** The claim whose handler runs on this thread; null if there is none. */
    @Nullable
    OpenClaim claimOn(Thread thread) {
        return slots.stream()
                .filter(slot -> slot.runsOn(thread))
                .findFirst()
                .map(JobSlot::current)
                .orElse(null);
    }

    /** How many slots are used by a handler that ignores its interruption. Most of their claims have ended. */
    int stuck() {
        int stuck = 0;
        for (JobSlot slot : slots) {
            if (slot.isStuck()) {
                stuck++;
            }
        }
        return stuck;
    }

    /** How many claims are held only until their handlers, which ignore interruption, return. */
    int givenUp() {
        return (int) current().stream().filter(OpenClaim::handlerGivenUp).count();
    }

    /** Waits until no slot is used by an open claim; false if that takes longer than this time. */
    boolean awaitIdle(long nanos) {
        long deadline = System.nanoTime() + nanos;
        while (current().stream().anyMatch(claim -> claim.isRunning() || claim.isBuffered())) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            pause();
        }
        return true;
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(5);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
