package dev.muster.runtime;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A service that repeats one step on its own thread. The step returns how long to wait before the
 * next; {@link #wake()} cuts the wait short and is never lost: woken during a step, the next one
 * follows at once.
 */
public final class Loop implements Service {
    private static final Logger log = LoggerFactory.getLogger(Loop.class);
    private static final long FIRST_BACKOFF_MS = 50;
    private static final long MAX_BACKOFF_MS = 2_000;

    /** One turn of the loop. */
    @FunctionalInterface
    public interface Step {
        /** Does the work and returns how long to wait before the next turn. */
        Duration run() throws Exception;
    }

    private final String name;
    private final Step step;
    private final long maxBackoffMs;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile boolean woken;
    private volatile boolean stopping;
    private volatile Health health = Health.OK;
    private @Nullable Thread thread;

    public Loop(String name, Step step) {
        this(name, step, Duration.ofMillis(MAX_BACKOFF_MS));
    }

    /** @param maxBackoff how long it waits at most after a step that failed */
    public Loop(String name, Step step, Duration maxBackoff) {
        this.name = name;
        this.step = step;
        this.maxBackoffMs = maxBackoff.toMillis();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public synchronized void start() {
        if (thread != null) {
            throw new IllegalStateException(name + " was already started");
        }
        thread = new Thread(this::run, "muster-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Makes the next step run without further waiting. */
    public void wake() {
        if (woken) {
            return;
        }
        lock.lock();
        try {
            woken = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void stop() {
        stopping = true;
        wake();
        Thread running;
        synchronized (this) {
            running = thread;
        }
        if (running != null && running != Thread.currentThread()) {
            join(running);
        }
    }

    /** Whether {@link #stop()} was called: long steps look at it to end early. */
    public boolean stopping() {
        return stopping;
    }

    @Override
    public Health health() {
        return health;
    }

    private void run() {
        int failures = 0;
        while (!stopping) {
            Duration wait;
            try {
                wait = step.run();
                if (failures > 0) {
                    log.info("loop={} recovered after_failures={}", name, failures);
                }
                failures = 0;
                health = Health.OK;
            } catch (InterruptedException e) {
                ended();
                return;
            } catch (Throwable e) {
                failures++;
                health = Health.failing(name + ": " + e);
                wait = backoff(failures);
                report(failures, e);
            }
            await(wait);
        }
    }

    private void report(int failures, Throwable e) {
        if (failures == 1) {
            if (e instanceof DatabaseUnavailable) {
                log.warn("loop={} failing, will keep trying: {}", name, e.getMessage());
            } else {
                log.warn("loop={} failing, will keep trying", name, e);
            }
        } else {
            log.debug("loop={} still failing failures={}", name, failures, e);
        }
    }

    private Duration backoff(int failures) {
        long base = Math.min(maxBackoffMs, FIRST_BACKOFF_MS << Math.min(failures - 1, 10));
        return Duration.ofMillis(base / 2 + ThreadLocalRandom.current().nextLong(base / 2 + 1));
    }

    private void await(Duration wait) {
        lock.lock();
        try {
            long left = wait.toNanos();
            while (!woken && !stopping && left > 0) {
                left = changed.awaitNanos(left);
            }
            woken = false;
        } catch (InterruptedException e) {
            ended();
        } finally {
            lock.unlock();
        }
    }

    /** Someone interrupted this thread, which only {@link #stop()} has reason to. */
    private void ended() {
        if (!stopping) {
            health = Health.failing(name + ": its thread was interrupted and has ended");
            log.error("loop={} was interrupted and has ended", name);
        }
        Thread.currentThread().interrupt();
        stopping = true;
    }

    private void join(Thread running) {
        boolean interrupted = false;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (running.isAlive() && System.nanoTime() < deadline) {
            try {
                running.join(1_000);
            } catch (InterruptedException e) {
                interrupted = true;
                running.interrupt();
            }
        }
        if (running.isAlive()) {
            log.warn("loop={} did not stop within 30 s; its thread is abandoned", name);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
