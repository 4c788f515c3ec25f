package dev.muster.internal.workflow;

import dev.muster.internal.runtime.Durations;
import dev.muster.internal.workflow.LeaveCode.Broken;
import dev.muster.runtime.Clock;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts steps that take longer than their timeout. Most steps end long before it, so each thread has one alarm for all its steps: when
 * it rings and the step is not over its limit, or another one has begun, it is set again. Setting one for each step would wake the timer's
 * thread for each.
 */
final class StepTimer {
    /** An alarm is set for at most this long, so that the alarms of threads that run no step, or have ended, do not pile up. */
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Duration defaultTimeout;
    private final Clock clock;
    private final ScheduledThreadPoolExecutor executor;
    private final ThreadLocal<Alarm> alarms = ThreadLocal.withInitial(Alarm::new);

    /** @param defaultTimeout of steps that set none */
    StepTimer(Duration defaultTimeout, Clock clock) {
        this.defaultTimeout = defaultTimeout;
        this.clock = clock;
        this.executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "muster-step-timer");
            thread.setDaemon(true);
            return thread;
        });
        executor.setKeepAliveTime(10, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
    }

    /** Starts the clock for a step on the current thread. */
    Timer start(@Nullable Duration timeout) {
        Duration limit = timeout == null ? defaultTimeout : timeout;
        Timer timer = new Timer(limit, clock.nanos() + Durations.nanos(limit), alarms.get());
        timer.alarm.watch(timer);
        return timer;
    }

    void stop() {
        executor.shutdownNow();
    }

    /** The clock of one step. */
    static final class Timer {
        private final Duration limit;
        private final long deadline;
        private final Alarm alarm;
        private boolean rang;

        private Timer(Duration limit, long deadline, Alarm alarm) {
            this.limit = limit;
            this.deadline = deadline;
            this.alarm = alarm;
        }

        Duration limit() {
            return limit;
        }

        /** Stops the clock: the thread is not interrupted from now on. Returns whether it was, and clears the interrupt. */
        boolean stop() {
            return alarm.stop(this);
        }
    }

    /** Interrupts one thread. */
    private final class Alarm {
        private final Thread thread = Thread.currentThread();
        private @Nullable Timer watched;
        private boolean set;
        private long ringsAt;

        synchronized void watch(Timer timer) {
            watched = timer;
            if (!set || timer.deadline - ringsAt < 0) {
                set(timer);
            }
        }

        private void set(Timer timer) {
            long now = clock.nanos();
            long wait = Math.max(0, Math.min(timer.deadline - now, LONGEST_NANOS));
            try {
                executor.schedule(this::ring, wait, TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException e) {
                // The node has stopped.
                throw new Broken(e);
            }
            set = true;
            ringsAt = now + wait;
        }

        private synchronized void ring() {
            Timer timer = watched;
            set = false;
            if (timer == null) {
                return;
            }
            if (clock.nanos() - timer.deadline >= 0) {
                timer.rang = true;
                watched = null;
                thread.interrupt();
            } else {
                set(timer);
            }
        }

        private synchronized boolean stop(Timer timer) {
            watched = null;
            if (timer.rang) {
                Thread.interrupted();
            }
            return timer.rang;
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
