package dev.muster.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads that run handlers. A thread whose handler ignores interruption after its claim is over is stuck: its slot is gone until it returns. */
final class JobThreads {
    private static final Logger log = LoggerFactory.getLogger(JobThreads.class);

    private final LocalBuffer buffer;
    private final Consumer<OpenClaim> run;
    private final BiConsumer<OpenClaim, Throwable> broken;
    private final Runnable onFreed;
    private final BooleanSupplier overfull;
    private final List<Slot> slots = new ArrayList<>();

    /** One thread and the claim it runs. */
    private final class Slot implements Runnable {
        private final Thread thread;
        private volatile @Nullable OpenClaim current;

        Slot(int number) {
            thread = new Thread(this, "muster-job-" + number);
            thread.setDaemon(true);
        }

        /** Goes on whatever happens: a thread that ends would take its slot with it. */
        @Override
        public void run() {
            while (true) {
                try {
                    awaitRoomForResults();
                    OpenClaim claim = buffer.take();
                    if (claim == null) {
                        return;
                    }
                    runOne(claim);
                } catch (InterruptedException e) {
                    // An interrupt meant for a job that is over; the buffer says when to stop.
                    log.debug("stray interrupt");
                } catch (Throwable e) {
                    // Not even the error could be reported. Its claim is abandoned, which Deadlines notices.
                    continue;
                }
            }
        }

        private void awaitRoomForResults() throws InterruptedException {
            while (overfull.getAsBoolean() && !buffer.isClosed()) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
        }

        private void runOne(OpenClaim claim) {
            current = claim;
            try {
                JobThreads.this.run.accept(claim);
            } catch (Throwable e) {
                // The slot outlives whatever it ran, and its claim must not stay open without it.
                broken.accept(claim, e);
                log.error("job={} could not be run to its end", claim.job().id(), e);
            } finally {
                current = null;
                claim.leaveThread();
                if (claim.stopReason() != null) {
                    // It may have counted as stuck until here, so only now is there room.
                    onFreed.run();
                }
            }
        }

        boolean isStuck() {
            OpenClaim claim = current;
            if (claim == null || claim.stopReason() == null || claim.isRunning() || claim.isBuffered()) {
                return false;
            }
            // Still there after its stop was seen: then its thread sees the stop too, and tells when it is free.
            return current == claim;
        }
    }

    /**
     * @param run runs a claim to its end on the current thread
     * @param broken told of a claim whose run failed outside its handler
     * @param onFreed told whenever a thread that may have counted as stuck no longer does
     * @param overfull whether so many results wait to be written that nothing more should start
     */
    JobThreads(
            int count,
            LocalBuffer buffer,
            Consumer<OpenClaim> run,
            BiConsumer<OpenClaim, Throwable> broken,
            Runnable onFreed,
            BooleanSupplier overfull) {
        this.buffer = buffer;
        this.run = run;
        this.broken = broken;
        this.onFreed = onFreed;
        this.overfull = overfull;
        for (int i = 0; i < count; i++) {
            slots.add(new Slot(i));
        }
    }

    void start() {
        slots.forEach(slot -> slot.thread.start());
    }

    /** The claims whose handler is on a thread now, also those that are over. */
    List<OpenClaim> current() {
        List<OpenClaim> claims = new ArrayList<>();
        for (Slot slot : slots) {
            OpenClaim claim = slot.current;
            if (claim != null) {
                claims.add(claim);
            }
        }
        return claims;
    }

    /** The claim whose handler is on this thread; null if it is none of these threads, or idle. */
    @Nullable
    OpenClaim claimOn(Thread thread) {
        return slots.stream()
                .filter(slot -> slot.thread == thread)
                .findFirst()
                .map(slot -> slot.current)
                .orElse(null);
    }

    /** Threads still inside a handler whose claim is over. */
    int stuck() {
        return (int) slots.stream().filter(Slot::isStuck).count();
    }

    /** Waits until no handler of a running claim is on a thread; false when the time is up. */
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
