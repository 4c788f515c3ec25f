package dev.muster.postgres.db;

import dev.muster.runtime.LogContext;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Looks for another server while a call has been waiting long for the present one. A node's control connection notices a silent server; a
 * program that only enqueues has none, and would wait for the end of the call's network timeout.
 *
 * <p>While no call is under way there is neither a thread nor a timer of this object.
 *
 * <pre>
 *   resting ── a call begins ──▶ waiting ◀── the oldest call is younger than the limit, or the look is over ──┐
 *      ▲                            └── the limit is over ──▶ no call, or a node watches ──▶ resting          │
 *      └─────────────────────────────                      ──▶ a call is older ──▶ looking ───────────────────┘
 * </pre>
 */
final class SilenceWatch {
    private final LentConnections calls;
    private final Duration limit;
    private final BooleanSupplier isWanted;
    private final Runnable look;
    private final AtomicBoolean awake = new AtomicBoolean();

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
        if (!awake.get() && isWanted.getAsBoolean() && awake.compareAndSet(false, true)) {
            checkAfter(limit);
        }
    }

    /** Whether a timer runs, or somebody looks. */
    boolean isAwake() {
        return awake.get();
    }

    private void checkAfter(Duration pause) {
        // The JDK's timer thread, which all timeouts of a process share.
        later(pause, Runnable::run, this::check);
    }

    private static void later(Duration pause, Executor where, Runnable what) {
        CompletableFuture.delayedExecutor(pause.toNanos(), TimeUnit.NANOSECONDS, where)
                .execute(what);
    }

    private void check() {
        Optional<Duration> longest = calls.longest();
        if (longest.isEmpty() || !isWanted.getAsBoolean()) {
            awake.set(false);
            if (calls.longest().isPresent()) {
                // It may have begun just before.
                begun();
            }
            return;
        }
        Duration left = limit.minus(longest.get());
        if (left.isNegative() || left.isZero()) {
            Thread thread = new Thread(LogContext.inherit("silence", this::lookAround), "muster-silence");
            thread.setDaemon(true);
            thread.start();
        } else {
            checkAfter(left);
        }
    }

    private void lookAround() {
        try {
            look.run();
        } finally {
            checkAfter(limit);
        }
    }
}
