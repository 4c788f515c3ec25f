package dev.muster.internal.runtime;

import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.Health;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A service that repeats one step on its own thread. The step returns how long to wait before the next one. {@link #wake()} ends
 * the wait, and no call of it is lost: if it comes during a step, the next step follows at once.
 */
public final class Loop implements Service {
    private static final Logger log = LoggerFactory.getLogger(Loop.class);
    private static final long FIRST_BACKOFF_MS = 50;
    private static final Duration LONGEST_STOP = Duration.ofSeconds(30);
    private static final Duration MAX_BACKOFF = Duration.ofSeconds(2);

    /** One step of the loop. */
    @FunctionalInterface
    public interface Step {
        /** Does the work and returns how long to wait before the next step. */
        Duration run() throws Exception;
    }

    private final String name;
    private final Step step;
    private final BooleanSupplier proves;
    private final long maxBackoffMs;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile boolean woken;
    private volatile boolean stopping;
    private volatile Health health = Health.OK;
    private final Health failing;
    private volatile long failingSince;
    private @Nullable Thread thread;

    public Loop(String name, Step step) {
        this(name, step, () -> true, MAX_BACKOFF);
    }

    /** @param maxBackoff the longest wait after a failed step */
    public Loop(String name, Step step, Duration maxBackoff) {
        this(name, step, () -> true, maxBackoff);
    }

    /**
     * @param proves asked when a step succeeds after a failed one: whether that proves that the loop works again. A step that
     *     found nothing to do proves nothing
     */
    public Loop(String name, Step step, BooleanSupplier proves) {
        this(name, step, proves, MAX_BACKOFF);
    }

    private Loop(String name, Step step, BooleanSupplier proves, Duration maxBackoff) {
        this.name = name;
        this.step = step;
        this.proves = proves;
        this.maxBackoffMs = maxBackoff.toMillis();
        this.failing = Health.failing(name + ": failing, and the cause could not be described");
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
        thread = new Thread(LogContext.inherit(name, this::run), "muster-" + name);
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
        stop(LONGEST_STOP);
    }

    /**
     * Lets no further step begin.
     *
     * @param limit how long to wait for the end of the current step; if the step takes longer, its thread is abandoned
     */
    public void stop(Duration limit) {
        stopping = true;
        wake();
        Thread running;
        synchronized (this) {
            running = thread;
        }
        if (running != null && running != Thread.currentThread()) {
            join(running, limit);
        }
    }

    /** Whether {@link #stop()} was called, for long steps that can end early. */
    public boolean stopping() {
        return stopping;
    }

    @Override
    public Health health() {
        return health;
    }

    /** For how long steps have been failing, counted from the start of the first failed one; zero if the last step succeeded. */
    public Duration failingFor() {
        return health.ok() ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - failingSince);
    }

    private void run() {
        int failures = 0;
        while (!stopping) {
            Duration wait;
            long began = System.nanoTime();
            try {
                wait = step.run();
                if (failures > 0 && !proves.getAsBoolean()) {
                    wait = wait.compareTo(MAX_BACKOFF) < 0 ? wait : MAX_BACKOFF;
                } else {
                    if (failures > 0) {
                        log.info("loop={} recovered after_failures={}", name, failures);
                    }
                    failures = 0;
                    health = Health.OK;
                }
            } catch (InterruptedException e) {
                ended();
                return;
            } catch (Throwable e) {
                failures++;
                if (failures == 1) {
                    failingSince = began;
                }
                wait = backoff(failures);
                report(failures, e);
            }
            await(wait);
        }
    }

    /** The loop continues even if the report fails, for lack of memory or because the exception's own message throws. */
    private void report(int failures, Throwable e) {
        try {
            health = Health.failing(name + ": " + e);
            if (failures > 1) {
                log.debug("loop={} still failing failures={}", name, failures, e);
            } else if (e instanceof DatabaseUnavailable) {
                log.warn("loop={} failing, will keep trying: {}", name, e.getMessage());
            } else {
                log.warn("loop={} failing, will keep trying", name, e);
            }
        } catch (Throwable alsoWrong) {
            health = failing;
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

    /** This thread was interrupted; only {@link #stop()} should do that. */
    private void ended() {
        if (!stopping) {
            health = Health.failing(name + ": its thread was interrupted and has ended");
            log.error("loop={} was interrupted and has ended", name);
        }
        Thread.currentThread().interrupt();
        stopping = true;
    }

    private void join(Thread running, Duration limit) {
        boolean interrupted = false;
        long deadline = System.nanoTime() + limit.toNanos();
        while (running.isAlive() && System.nanoTime() < deadline) {
            try {
                running.join(Math.min(1_000, limit.toMillis() + 1));
            } catch (InterruptedException e) {
                interrupted = true;
                running.interrupt();
            }
        }
        if (running.isAlive()) {
            log.warn("loop={} did not stop within {} s; its thread is abandoned", name, limit.toSeconds());
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
