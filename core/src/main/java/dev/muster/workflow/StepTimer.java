package dev.muster.workflow;

import dev.muster.runtime.MusterException;
import dev.muster.workflow.LeaveCode.Broken;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Interrupts steps that take longer than their timeout. */
final class StepTimer {
    private final Duration defaultTimeout;
    private final ScheduledThreadPoolExecutor executor;

    /** @param defaultTimeout of steps that set none */
    StepTimer(Duration defaultTimeout) {
        this.defaultTimeout = defaultTimeout;
        this.executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "muster-step-timer");
            thread.setDaemon(true);
            return thread;
        });
        executor.setRemoveOnCancelPolicy(true);
        executor.setKeepAliveTime(10, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
    }

    /** Starts the clock for a step on the current thread. */
    Timer start(@Nullable Duration timeout) {
        return new Timer(timeout == null ? defaultTimeout : timeout, Thread.currentThread());
    }

    void stop() {
        executor.shutdownNow();
    }

    /** The clock of one step. */
    final class Timer {
        private final Duration limit;
        private final Thread thread;
        private final ScheduledFuture<?> alarm;
        private boolean over;
        private boolean rang;

        private Timer(Duration limit, Thread thread) {
            this.limit = limit;
            this.thread = thread;
            this.alarm = schedule();
        }

        private ScheduledFuture<?> schedule() {
            try {
                return executor.schedule(this::ring, limit.toNanos(), TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException e) {
                // The node has stopped.
                throw new Broken(e);
            }
        }

        private synchronized void ring() {
            if (!over) {
                rang = true;
                thread.interrupt();
            }
        }

        Duration limit() {
            return limit;
        }

        /** Stops the clock: the thread is not interrupted from now on. Returns whether it was, and clears the interrupt. */
        synchronized boolean stop() {
            over = true;
            alarm.cancel(false);
            if (rang) {
                Thread.interrupted();
            }
            return rang;
        }
    }

    /** A step took too long. */
    static final class TimedOut extends MusterException {
        private static final long serialVersionUID = 1L;

        TimedOut(String step, Duration limit, Throwable cause) {
            super("step '" + step + "' was interrupted after its timeout of " + limit, cause);
        }
    }
}
