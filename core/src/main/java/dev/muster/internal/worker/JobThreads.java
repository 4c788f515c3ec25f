package dev.muster.internal.worker;

import dev.muster.internal.runtime.LogContext;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads that run handlers: each has a slot and takes one claim after the other. */
final class JobThreads implements SlotFeeder {
    private static final Logger log = LoggerFactory.getLogger(JobThreads.class);

    /** The component that log lines of handlers have in their MDC. */
    static final String COMPONENT = "job";

    private final JobSlots slots;
    private final LocalBuffer buffer;
    private final ThreadMaker threads;
    private final BooleanSupplier overfull;

    /** Makes threads, numbered from 0, that are not started yet. */
    @FunctionalInterface
    interface ThreadMaker {
        Thread make(int number, Runnable code);
    }

    /** @param overfull whether so many results wait to be written that no further job should start */
    JobThreads(JobSlots slots, LocalBuffer buffer, ThreadMaker threads, BooleanSupplier overfull) {
        this.slots = slots;
        this.buffer = buffer;
        this.threads = threads;
        this.overfull = overfull;
    }

    /** Daemon threads of the operating system. */
    static ThreadMaker platform(String prefix) {
        return (number, code) -> {
            Thread thread = new Thread(code, prefix + number);
            thread.setDaemon(true);
            return thread;
        };
    }

    @Override
    public void start() {
        for (int i = 0; i < slots.all().size(); i++) {
            JobSlot slot = slots.all().get(i);
            threads.make(i, LogContext.inherit(COMPONENT, () -> runJobs(slot))).start();
        }
    }

    /** Goes on after any error, because a thread that ended could not be used again. */
    private void runJobs(JobSlot slot) {
        while (true) {
            try {
                awaitRoomForResults();
                OpenClaim claim = buffer.take();
                if (claim == null) {
                    return;
                }
                slot.run(claim);
            } catch (InterruptedException e) {
                // The interrupt was meant for a job that has ended; the buffer tells when to stop.
                log.debug("stray interrupt");
            } catch (Throwable e) {
                // Even the error could not be reported. The claim is abandoned, which LeaseAndTimeoutWatch notices.
                continue;
            }
        }
    }

    private void awaitRoomForResults() throws InterruptedException {
        while (overfull.getAsBoolean() && !buffer.isClosed()) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }
}
