package dev.muster.internal.function;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A handler that runs on a thread, and may be interrupted there until it has ended.
 *
 * <pre>
 *   running ── the handler ends ──▶ ended
 *      └── its time is over ──▶ interrupting ── the thread has its flag ──▶ interrupted
 * </pre>
 *
 * Whoever moves it out of {@code running} has won. A thread whose handler ends while it is being interrupted waits until it has the flag,
 * and clears it: so the flag never arrives after the call.
 */
final class WatchedCall {
    private static final int RUNNING = 0;
    private static final int INTERRUPTING = 1;
    private static final int INTERRUPTED = 2;
    private static final int ENDED = 3;

    private final String function;
    private final String requestId;
    private final long deadline;
    private final Thread thread = Thread.currentThread();
    private final boolean wasInterrupted = thread.isInterrupted();
    private final AtomicInteger state = new AtomicInteger(RUNNING);
    private boolean toldStuck;

    WatchedCall(String function, String requestId, long deadline) {
        this.function = function;
        this.requestId = requestId;
        this.deadline = deadline;
    }

    String function() {
        return function;
    }

    String requestId() {
        return requestId;
    }

    long deadline() {
        return deadline;
    }

    /** Whether its time was over before its handler has ended. */
    boolean isInterrupted() {
        int now = state.get();
        return now == INTERRUPTING || now == INTERRUPTED;
    }

    /** Interrupts the thread, unless the handler has ended or was interrupted before. */
    void interrupt() {
        if (state.compareAndSet(RUNNING, INTERRUPTING)) {
            thread.interrupt();
            state.set(INTERRUPTED);
        }
    }

    /** Called on the call's thread. */
    boolean end() {
        if (state.compareAndSet(RUNNING, ENDED)) {
            return false;
        }
        while (state.get() != INTERRUPTED) {
            Thread.onSpinWait();
        }
        // An interrupt that was there before the call is not this call's.
        if (Thread.interrupted() && wasInterrupted) {
            thread.interrupt();
        }
        return true;
    }

    /** Returns true once; for the watch's thread alone. */
    boolean tellStuck() {
        boolean first = !toldStuck;
        toldStuck = true;
        return first;
    }
}
