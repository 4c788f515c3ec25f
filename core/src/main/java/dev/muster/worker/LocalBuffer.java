package dev.muster.worker;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Claimed jobs that wait for a thread. Suspects that have crashed before stand apart: only one of them runs at a time. */
final class LocalBuffer {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<OpenClaim> ordinary = new ArrayDeque<>();
    private final Deque<OpenClaim> alone = new ArrayDeque<>();
    private @Nullable OpenClaim aloneOut;
    private boolean closed;
    private volatile int waiting;
    private volatile int waitingAlone;

    /** Jobs that any free thread may take. */
    int waiting() {
        return waiting;
    }

    /** Jobs that wait for their turn to run alone. */
    int waitingAlone() {
        return waitingAlone;
    }

    void addAll(Collection<OpenClaim> claims) {
        lock.lock();
        try {
            for (OpenClaim claim : claims) {
                (claim.job().runsAlone() ? alone : ordinary).add(claim);
            }
            counted();
            if (claims.size() == 1) {
                changed.signal();
            } else {
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a job; null once the buffer is closed. */
    @Nullable
    OpenClaim take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (true) {
                if (closed) {
                    return null;
                }
                if (aloneOut == null && !alone.isEmpty()) {
                    aloneOut = alone.poll();
                    return counted(aloneOut);
                }
                if (!ordinary.isEmpty()) {
                    return counted(ordinary.poll());
                }
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Lets the next one go if this claim was the one out. Called when a claim is closed, its outcome
     * written: were the next one to kill the node before that, this one would be charged for it.
     */
    void closed(OpenClaim claim) {
        if (!claim.job().runsAlone()) {
            return;
        }
        lock.lock();
        try {
            if (aloneOut == claim) {
                aloneOut = null;
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Removes and returns what waits, all of it or what came before the given time. */
    List<OpenClaim> removeClaimedBefore(long nanos) {
        lock.lock();
        try {
            List<OpenClaim> removed = new ArrayList<>();
            for (Deque<OpenClaim> queue : List.of(ordinary, alone)) {
                queue.removeIf(claim -> {
                    boolean old = claim.claimedAt() - nanos < 0;
                    if (old) {
                        removed.add(claim);
                    }
                    return old;
                });
            }
            counted();
            return removed;
        } finally {
            lock.unlock();
        }
    }

    /** Forgets a claim that was ended or lost while it waited. */
    void remove(OpenClaim claim) {
        lock.lock();
        try {
            (claim.job().runsAlone() ? alone : ordinary).remove(claim);
            counted();
        } finally {
            lock.unlock();
        }
    }

    /** Lets every waiting thread go. */
    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private OpenClaim counted(OpenClaim claim) {
        counted();
        return claim;
    }

    private void counted() {
        waiting = ordinary.size();
        waitingAlone = alone.size();
    }
}
