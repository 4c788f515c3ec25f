package dev.muster.internal.function;

import dev.muster.internal.runtime.LogContext;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Interrupts the threads of calls whose time is over. One thread watches all calls of a node. It starts with the first call and ends when
 * there was none for a while, so that nobody has to stop it.
 *
 * <p>The thread sleeps until the earliest deadline that it knew when it fell asleep. A call wakes it only if its own deadline is earlier.
 * So a call costs one entry in a map and, as long as all functions have similar timeouts, wakes nobody.
 */
final class CallWatch {
    private static final Logger log = LoggerFactory.getLogger(CallWatch.class);

    /** How long a handler may take to react to its interruption before it counts as stuck. */
    static final Duration GRACE = Duration.ofSeconds(1);

    private static final Duration IDLE = Duration.ofSeconds(10);

    /** No call has to be looked at. */
    private static final long NEVER = Long.MAX_VALUE;

    private final Clock clock;
    private final long origin;
    private final long idleNanos;
    private final Set<WatchedCall> calls = ConcurrentHashMap.newKeySet();

    /** When the thread wakes up next, in nanoseconds since the origin. */
    private final AtomicLong wakeAt = new AtomicLong(NEVER);

    private @Nullable Thread thread;

    CallWatch(Clock clock) {
        this(clock, IDLE);
    }

    /** @param idle how long the thread waits for another call before it ends */
    CallWatch(Clock clock, Duration idle) {
        this.clock = clock;
        this.idleNanos = idle.toNanos();
        this.origin = clock.nanos();
    }

    /** Nanoseconds since this watch was created. */
    long now() {
        return clock.nanos() - origin;
    }

    /**
     * The current thread enters a handler. The caller calls {@link #end} when the handler has ended, however it does.
     *
     * @param deadline when the call's time is over, in the nanoseconds of {@link #now}
     */
    WatchedCall begin(String function, String requestId, long deadline) {
        WatchedCall call = new WatchedCall(function, requestId, deadline);
        calls.add(call);
        wakeBy(deadline);
        return call;
    }

    /**
     * The handler has ended on the current thread. From now on the thread is not interrupted because of this call, and it no longer has the
     * interrupt flag if that was set because of it.
     *
     * @return whether the call's time was over before
     */
    boolean end(WatchedCall call) {
        boolean interrupted = call.end();
        calls.remove(call);
        return interrupted;
    }

    /** How many handlers are running. */
    int running() {
        return calls.size();
    }

    /** The calls whose handlers have not reacted to their interruption. */
    List<WatchedCall> stuck() {
        long now = now();
        return calls.stream()
                .filter(call -> call.isInterrupted() && now - call.deadline() >= GRACE.toNanos())
                .toList();
    }

    private void wakeBy(long deadline) {
        long known = wakeAt.get();
        while (deadline < known) {
            if (wakeAt.compareAndSet(known, deadline)) {
                wake();
                return;
            }
            known = wakeAt.get();
        }
    }

    private synchronized void wake() {
        if (thread == null) {
            thread = new Thread(LogContext.inherit("functions", this::run), "muster-functions");
            thread.setDaemon(true);
            thread.start();
        } else {
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        long idleSince = now();
        while (true) {
            check();
            long next = wakeAt.get();
            if (next != NEVER) {
                idleSince = next;
                LockSupport.parkNanos(this, Math.max(1, next - now()));
            } else if (now() - idleSince < idleNanos) {
                LockSupport.parkNanos(this, idleNanos);
            } else if (ends()) {
                return;
            }
        }
    }

    /** Whether the thread lives. */
    synchronized boolean hasThread() {
        return thread != null;
    }

    private synchronized boolean ends() {
        // A call that has changed wakeAt meanwhile waits for this lock, or relies on this thread already.
        if (wakeAt.get() != NEVER) {
            return false;
        }
        thread = null;
        return true;
    }

    /**
     * Interrupts the calls whose time is over, and notes when to look again. A call that begins meanwhile is either seen here, or it finds a
     * later time noted and moves it forward.
     */
    void check() {
        wakeAt.set(NEVER);
        long now = now();
        long next = NEVER;
        for (WatchedCall call : calls) {
            next = Math.min(next, check(call, now));
        }
        long earliest = next;
        wakeAt.updateAndGet(noted -> Math.min(noted, earliest));
    }

    /** Returns when to look at the call again. */
    private static long check(WatchedCall call, long now) {
        if (now < call.deadline()) {
            return call.deadline();
        }
        call.interrupt();
        long stuckAt = call.deadline() + GRACE.toNanos();
        if (now < stuckAt) {
            return stuckAt;
        }
        if (call.tellStuck()) {
            log.warn(
                    "function={} request={} ignores its interruption after its timeout; its thread is stuck until it returns",
                    call.function(),
                    call.requestId());
        }
        return NEVER;
    }
}
