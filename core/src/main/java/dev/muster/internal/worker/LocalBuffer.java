package dev.muster.internal.worker;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Claimed jobs that wait for a thread, and threads that wait for a job. Suspects that have crashed before stand apart: they
 * wait for their turn. One lock guards everything.
 */
final class LocalBuffer {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition jobOrClosed = lock.newCondition();
    /** Jobs with one of a limited number of places. They take turns with the others, so that they do not keep a place for long. */
    private final Deque<OpenClaim> limited = new ArrayDeque<>();

    private boolean limitedNext = true;

    private final Deque<OpenClaim> ordinary = new ArrayDeque<>();
    private final Deque<OpenClaim> alone = new ArrayDeque<>();

    private final SuspectTurn suspects;
    private boolean closed;

    /** @param suspects lets one suspect of the node run at a time */
    LocalBuffer(SuspectTurn suspects) {
        this.suspects = suspects;
        suspects.join(this);
    }

    /** Jobs that any free thread may take. */
    int waiting() {
        lock.lock();
        try {
            return limited.size() + ordinary.size();
        } finally {
            lock.unlock();
        }
    }

    /** Jobs that wait until they may run alone. */
    int waitingSuspects() {
        lock.lock();
        try {
            return alone.size();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Adds claims, except those that were ended or lost on their way here. Whoever ends a claim later removes it from here and closes it
     * after that, so a suspect that is taken from here has its turn until then. One that was closed before would keep its turn forever.
     */
    void addAll(Collection<OpenClaim> claims) {
        lock.lock();
        try {
            for (OpenClaim claim : claims) {
                if (claim.isBuffered()) {
                    jobsLike(claim).add(claim);
                }
            }
            wakeThreads(claims.size());
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a job; null once the buffer is closed. */
    @Nullable
    OpenClaim take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!closed) {
                if (Thread.interrupted()) {
                    // The thread was woken for a job and does not take it.
                    wakeThreads(1);
                    throw new InterruptedException();
                }
                OpenClaim claim = next();
                if (claim != null) {
                    return claim;
                }
                jobOrClosed.await();
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** The next job; null if there is none now, or the buffer is closed. */
    @Nullable
    OpenClaim poll() {
        lock.lock();
        try {
            return closed ? null : next();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable OpenClaim next() {
        if (!alone.isEmpty() && suspects.begin(alone.peek())) {
            return alone.remove();
        }
        boolean takeLimited = !limited.isEmpty() && (limitedNext || ordinary.isEmpty());
        limitedNext = !takeLimited;
        return takeLimited ? limited.poll() : ordinary.poll();
    }

    private Deque<OpenClaim> jobsLike(OpenClaim claim) {
        if (claim.job().runsAlone()) {
            return alone;
        }
        return claim.job().keepsPlace() ? limited : ordinary;
    }

    /** A suspect may run now, if one waits here. */
    void wakeOneThread() {
        lock.lock();
        try {
            wakeThreads(1);
        } finally {
            lock.unlock();
        }
    }

    /** Removes and returns all claims. */
    List<OpenClaim> removeAll() {
        return remove(claim -> true);
    }

    /** Removes and returns the jobs that were claimed before the given time. */
    List<OpenClaim> removeClaimedBefore(long nanos) {
        return remove(claim -> claim.claimedAt() - nanos < 0);
    }

    /** Forgets a claim that was ended or lost while it waited. */
    void remove(OpenClaim claim) {
        remove(one -> one == claim);
    }

    private List<OpenClaim> remove(Predicate<OpenClaim> unwanted) {
        lock.lock();
        try {
            List<OpenClaim> removed = new ArrayList<>();
            for (Deque<OpenClaim> jobs : List.of(limited, ordinary, alone)) {
                jobs.removeIf(claim -> unwanted.test(claim) && removed.add(claim));
            }
            return removed;
        } finally {
            lock.unlock();
        }
    }

    boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Lets every waiting thread go. */
    void close() {
        lock.lock();
        try {
            closed = true;
            jobOrClosed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Wakes as many threads as there may be jobs for. A thread that finds none waits again. */
    private void wakeThreads(int jobs) {
        for (int i = 0; i < jobs && lock.hasWaiters(jobOrClosed); i++) {
            jobOrClosed.signal();
        }
    }
}
