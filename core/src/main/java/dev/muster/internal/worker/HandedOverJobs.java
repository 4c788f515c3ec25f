package dev.muster.internal.worker;

import dev.muster.internal.runtime.LogContext;
import dev.muster.job.JobExecutor;
import dev.muster.job.JobId;
import dev.muster.job.JobTask;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands claims over to a {@link JobExecutor}, which runs them on threads of its own; at most one for each slot. */
final class HandedOverJobs implements SlotFeeder {
    private static final Logger log = LoggerFactory.getLogger(HandedOverJobs.class);

    /** How much longer than it was given an executor may take to close. */
    private static final Duration MORE_TIME_TO_CLOSE = Duration.ofSeconds(1);

    private final String name;
    private final JobExecutor executor;
    private final LocalBuffer buffer;
    private final JobRunner runner;
    private final BooleanSupplier overfull;
    private final Clock clock;
    private final BlockingQueue<JobSlot> free;

    /** @param overfull whether so many results wait to be written that no further job should start */
    HandedOverJobs(
            String name,
            JobExecutor executor,
            JobSlots slots,
            LocalBuffer buffer,
            JobRunner runner,
            BooleanSupplier overfull,
            Clock clock) {
        this.name = name;
        this.executor = executor;
        this.buffer = buffer;
        this.runner = runner;
        this.overfull = overfull;
        this.clock = clock;
        this.free = new LinkedBlockingQueue<>(slots.all());
    }

    @Override
    public void start() {
        Thread thread =
                new Thread(LogContext.inherit(JobThreads.COMPONENT, this::handOver), "muster-hand-over-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private void handOver() {
        JobSlot slot = null;
        while (true) {
            try {
                slot = slot == null ? free.take() : slot;
                while (overfull.getAsBoolean() && !buffer.isClosed()) {
                    TimeUnit.MILLISECONDS.sleep(5);
                }
                OpenClaim claim = buffer.take();
                if (claim == null) {
                    return;
                }
                Task task = new Task(claim, slot);
                slot.take(claim);
                slot = null;
                handOver(task);
            } catch (InterruptedException e) {
                // Somebody has interrupted all threads; the buffer tells when to stop.
                log.debug("stray interrupt");
            } catch (Throwable e) {
                log.error("executor={} a job could not be handed over", name, e);
            }
        }
    }

    private void handOver(Task task) {
        try {
            executor.execute(task);
        } catch (Throwable e) {
            log.warn("executor={} refused job={} name={}", name, task.job(), task.name(), e);
            task.refused(e);
        }
    }

    @Override
    public void close(Duration timeout) {
        Thread closing = new Thread(LogContext.inherit("worker", () -> closeExecutor(timeout)), "muster-close-" + name);
        closing.setDaemon(true);
        closing.start();
        try {
            closing.join(timeout.plus(MORE_TIME_TO_CLOSE).toMillis());
            if (closing.isAlive()) {
                log.warn("executor={} is not closed after {}; the node stops without it", name, timeout);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void closeExecutor(Duration timeout) {
        try {
            executor.close(timeout);
        } catch (RuntimeException | Error e) {
            log.warn("executor={} could not be closed", name, e);
        }
    }

    private final class Task implements JobTask {
        private final OpenClaim claim;
        private final JobSlot slot;
        private final Runnable code;
        private final AtomicBoolean begun = new AtomicBoolean();

        Task(OpenClaim claim, JobSlot slot) {
            this.claim = claim;
            this.slot = slot;
            this.code = LogContext.inherit(JobThreads.COMPONENT, () -> slot.run(claim));
        }

        @Override
        public JobId job() {
            return claim.job().id();
        }

        @Override
        public String name() {
            return claim.job().name();
        }

        @Override
        public int attempt() {
            return claim.job().attempt();
        }

        @Override
        public void run() {
            if (begun.compareAndSet(false, true)) {
                try {
                    code.run();
                } finally {
                    free.add(slot);
                }
            }
        }

        @Override
        public void interrupt() {
            if (!end("gave it back before it ran")) {
                claim.stop(StopReason.EXECUTOR_STOPPED, clock.nanos());
            }
        }

        void refused(Throwable cause) {
            end("refused it: " + cause);
        }

        /** Ends a task that was not begun; false if it was. */
        private boolean end(String why) {
            if (!begun.compareAndSet(false, true)) {
                return false;
            }
            try {
                runner.notRun(claim, "executor " + name + " " + why);
            } finally {
                slot.free(claim);
                free.add(slot);
            }
            return true;
        }

        @Override
        public String toString() {
            return claim.job().name() + " " + claim.job().id();
        }
    }
}
