package dev.muster.worker;

import dev.muster.runtime.LogContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that run handlers. A thread whose handler ignores its interruption after its claim has ended is stuck: the thread
 * cannot run other jobs until the handler returns.
 */
final class JobThreads {
    private static final Logger log = LoggerFactory.getLogger(JobThreads.class);

    /** The component that log lines of handlers have in their MDC. */
    static final String COMPONENT = "job";

    private final String prefix;
    private final LocalBuffer buffer;
    private final JobRunner runner;
    private final Runnable onFreed;
    private final BooleanSupplier overfull;
    private final List<Slot> slots = new ArrayList<>();

    /** One thread and the claim that it runs. */
    private final class Slot implements Runnable {
        private volatile @Nullable Thread thread;
        private volatile @Nullable OpenClaim current;

        private final int number;

        Slot(int number) {
            this.number = number;
        }

        void start() {
            Thread fresh = new Thread(LogContext.inherit(COMPONENT, this), prefix + number);
            fresh.setDaemon(true);
            thread = fresh;
            fresh.start();
        }

        /** Goes on after any error, because a thread that ended could not be used again. */
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
                    // The interrupt was meant for a job that has ended; the buffer tells when to stop.
                    log.debug("stray interrupt");
                } catch (Throwable e) {
                    // Even the error could not be reported. The claim is abandoned, which Deadlines notices.
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
                runner.run(claim);
            } catch (Throwable e) {
                // The thread goes on, and the claim must not stay open without a thread.
                runner.broken(claim, e);
                log.error("job={} could not be run to its end", claim.job().id(), e);
            } finally {
                current = null;
                claim.leaveThread();
                if (claim.stopReason() != null) {
                    // The thread may have counted as stuck until here, so there is room only now.
                    onFreed.run();
                }
            }
        }

        boolean isStuck() {
            OpenClaim claim = current;
            if (claim == null || claim.stopReason() == null || claim.isBuffered()) {
                return false;
            }
            if (claim.isRunning() && !claim.handlerGivenUp()) {
                return false;
            }
            // If the claim is still current now, its thread will also see the stop, and report when it is free.
            return current == claim;
        }
    }

    /**
     * @param onFreed called whenever a thread that may have counted as stuck no longer does
     * @param overfull whether so many results wait to be written that no further job should start
     */
    JobThreads(ExecutorPlan plan, LocalBuffer buffer, JobRunner runner, Runnable onFreed, BooleanSupplier overfull) {
        this.prefix = plan.isDefault() ? "muster-job-" : "muster-job-" + plan.name() + "-";
        this.buffer = buffer;
        this.runner = runner;
        this.onFreed = onFreed;
        this.overfull = overfull;
        for (int i = 0; i < plan.size(); i++) {
            slots.add(new Slot(i));
        }
    }

    void start() {
        slots.forEach(Slot::start);
    }

    /** The claims whose handler is on a thread now, including claims that have ended. */
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

    /** The claim whose handler runs on this thread; null if the thread is idle or not one of these threads. */
    @Nullable
    OpenClaim claimOn(Thread thread) {
        return slots.stream()
                .filter(slot -> slot.thread == thread)
                .findFirst()
                .map(slot -> slot.current)
                .orElse(null);
    }

    /** How many threads are still inside a handler that ignores its interruption. Most of their claims have ended. */
    int stuck() {
        return (int) slots.stream().filter(Slot::isStuck).count();
    }

    /** How many claims are held only until their handlers, which ignore interruption, return. */
    int givenUp() {
        return (int) current().stream().filter(OpenClaim::handlerGivenUp).count();
    }

    /** Waits until no thread runs the handler of an open claim; false if that takes longer than this time. */
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
