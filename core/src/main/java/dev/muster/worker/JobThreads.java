package dev.muster.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads that run handlers. A thread whose handler ignores interruption after its claim is over is stuck: its slot is gone until it returns. */
final class JobThreads {
    private static final Logger log = LoggerFactory.getLogger(JobThreads.class);

    private final LocalBuffer buffer;
    private final JobRun run;
    private final List<Slot> slots = new ArrayList<>();

    /** One thread and the claim it runs. */
    private final class Slot implements Runnable {
        private final Thread thread;
        private volatile @Nullable OpenClaim current;

        Slot(int number) {
            thread = new Thread(this, "muster-job-" + number);
            thread.setDaemon(true);
        }

        @Override
        public void run() {
            while (true) {
                try {
                    OpenClaim claim = buffer.take();
                    if (claim == null) {
                        return;
                    }
                    runOne(claim);
                } catch (InterruptedException e) {
                    // An interrupt meant for a job that is over; the buffer says when to stop.
                    log.debug("stray interrupt");
                }
            }
        }

        private void runOne(OpenClaim claim) {
            current = claim;
            try {
                JobThreads.this.run.run(claim);
            } catch (Throwable e) {
                // The slot outlives whatever it ran, and its claim must not stay open without it.
                log.error("job={} could not be run to its end", claim.job().id(), e);
                JobThreads.this.run.broken(claim, e);
            } finally {
                current = null;
            }
        }
    }

    JobThreads(int count, LocalBuffer buffer, JobRun run) {
        this.buffer = buffer;
        this.run = run;
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

    /** Threads still inside a handler whose claim is over. */
    int stuck() {
        int stuck = 0;
        for (Slot slot : slots) {
            OpenClaim claim = slot.current;
            if (claim != null && claim.stopReason() != null && !claim.isRunning() && !claim.isBuffered()) {
                stuck++;
            }
        }
        return stuck;
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
