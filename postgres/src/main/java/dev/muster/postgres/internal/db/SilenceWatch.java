package dev.muster.postgres.internal.db;

import dev.muster.internal.runtime.LogContext;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Looks for another server while a call has been waiting long for the present one. A node's control connection notices a silent server; a
 * program that only enqueues has none, and would wait for the end of the call's network timeout.
 *
 * <p>A thread watches the calls while there are any, and not one of the JDK's timers: those last as long as the process, with the class loader
 * of whoever came first.
 *
 * <pre>
 *   resting ── a call begins ──▶ waiting ◀── the oldest call is younger than the limit, or the look is over ──┐
 *      ▲                            └── the limit is over ──▶ no call, or a node watches ──▶ resting          │
 *      └─────────────────────────────                      ──▶ a call is older ──▶ looking ───────────────────┘
 * </pre>
 */
final class SilenceWatch implements AutoCloseable {
    private final LentConnections calls;
    private final Duration limit;
    private final BooleanSupplier isWanted;
    private final Runnable look;
    private final AtomicBoolean awake = new AtomicBoolean();
    private final Semaphore wakeUps = new Semaphore(0);
    private volatile boolean closed;

    /**
     * @param limit how long a call may wait
     * @param isWanted whether nobody else notices that the server is silent
     * @param look looks for another server, and ends the connections to this one if there is; may take long
     */
    SilenceWatch(LentConnections calls, Duration limit, BooleanSupplier isWanted, Runnable look) {
        this.calls = calls;
        this.limit = limit;
        this.isWanted = isWanted;
        this.look = look;
    }

    /** A call has begun. Costs nothing if another one is watched already. */
    void begun() {
        if (!awake.get() && !closed && isWanted.getAsBoolean() && awake.compareAndSet(false, true)) {
            Thread thread = new Thread(LogContext.inherit("silence", this::watch), "muster-silence");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** Whether a thread watches. */
    boolean isAwake() {
        return awake.get();
    }

    private void watch() {
        try {
            wakeUps.drainPermits();
            if (!closed && isWanted.getAsBoolean()) {
                wakeUps.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS);
            }
            Optional<Duration> longest = calls.longest();
            while (!closed && longest.isPresent() && isWanted.getAsBoolean()) {
                Duration left = limit.minus(longest.get());
                if (left.isNegative() || left.isZero()) {
                    look.run();
                    left = limit;
                }
                wakeUps.tryAcquire(left.toNanos(), TimeUnit.NANOSECONDS);
                longest = calls.longest();
            }
        } catch (InterruptedException e) {
            // Nobody interrupts it but whoever ends the process.
            Thread.currentThread().interrupt();
        } finally {
            awake.set(false);
        }
        if (calls.longest().isPresent()) {
            // It may have begun just before.
            begun();
        }
    }

    /** A node may notice silence from now on: then the thread, if there is one, ends at once. */
    void lookAgain() {
        wakeUps.release();
    }

    /** Ends the thread, if there is one; a look that is under way ends first. Does not wait. */
    @Override
    public void close() {
        closed = true;
        lookAgain();
    }
}
