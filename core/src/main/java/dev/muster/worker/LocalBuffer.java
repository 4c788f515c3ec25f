package dev.muster.worker;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Claimed jobs that wait for a thread, and threads that wait for a job. Suspects that have crashed before are kept separately:
 * only one of them runs at a time.
 *
 * <p>Lock-free: the whole state is one immutable value that is swapped atomically. A thread starts to wait only in a state
 * without a job for it, and a thread that adds jobs wakes as many waiting threads as there are additional jobs to take. So no
 * thread waits while there is a job for it.
 */
final class LocalBuffer {
    private final AtomicReference<State> state = new AtomicReference<>(
            new State(ImmutableQueue.empty(), ImmutableQueue.empty(), null, ImmutableQueue.empty(), false));

    /** A thread that waits for a job. */
    private static final class Waiter {
        private final Thread thread = Thread.currentThread();
        private volatile boolean called;

        void call() {
            called = true;
            LockSupport.unpark(thread);
        }
    }

    /** @param aloneOut the suspect that is on a thread or whose outcome is not written yet */
    private record State(
            ImmutableQueue<OpenClaim> ordinary,
            ImmutableQueue<OpenClaim> alone,
            @Nullable OpenClaim aloneOut,
            ImmutableQueue<Waiter> waiters,
            boolean closed) {

        private boolean aloneMayGo() {
            return aloneOut == null && !alone.isEmpty();
        }

        int takeable() {
            return ordinary.size() + (aloneMayGo() ? 1 : 0);
        }

        @Nullable
        OpenClaim next() {
            if (closed) {
                return null;
            }
            return aloneMayGo() ? alone.first() : ordinary.first();
        }

        State withoutNext() {
            if (next() == null) {
                return this;
            }
            return aloneMayGo()
                    ? new State(ordinary, alone.rest(), alone.first(), waiters, closed)
                    : with(ordinary.rest(), alone);
        }

        State with(ImmutableQueue<OpenClaim> ordinary, ImmutableQueue<OpenClaim> alone) {
            return new State(ordinary, alone, aloneOut, waiters, closed);
        }

        State with(ImmutableQueue<Waiter> waiters) {
            return new State(ordinary, alone, aloneOut, waiters, closed);
        }

        State without(Predicate<OpenClaim> unwanted) {
            ImmutableQueue<OpenClaim> ordinaryLeft = ordinary.without(unwanted);
            ImmutableQueue<OpenClaim> aloneLeft = alone.without(unwanted);
            return ordinaryLeft == ordinary && aloneLeft == alone ? this : with(ordinaryLeft, aloneLeft);
        }

        /** How many waiting threads have to be woken when this state follows the other one. */
        int callsAfter(State before) {
            return closed ? waiters.size() : Math.min(waiters.size(), Math.max(0, takeable() - before.takeable()));
        }
    }

    /** How many jobs wait that any free thread may take. */
    int waiting() {
        return state.get().ordinary.size();
    }

    /** How many suspects wait to run, one at a time. */
    int waitingAlone() {
        return state.get().alone.size();
    }

    void addAll(Collection<OpenClaim> claims) {
        List<OpenClaim> ordinary = new ArrayList<>(claims.size());
        List<OpenClaim> alone = new ArrayList<>();
        for (OpenClaim claim : claims) {
            (claim.job().runsAlone() ? alone : ordinary).add(claim);
        }
        change(seen -> seen.with(seen.ordinary.withAll(ordinary), seen.alone.withAll(alone)));
    }

    /** Waits for a job; null once the buffer is closed. */
    @Nullable
    OpenClaim take() throws InterruptedException {
        while (!state.get().closed) {
            if (Thread.interrupted()) {
                // This thread may have been woken for a job that it does not take.
                callAnother();
                throw new InterruptedException();
            }
            OpenClaim claim = poll();
            if (claim != null) {
                return claim;
            }
            await();
        }
        return null;
    }

    /** The next job; null if there is none or the buffer is closed. */
    @Nullable
    OpenClaim poll() {
        return change(State::withoutNext).next();
    }

    /** Returns when there may be a job, or the thread was interrupted. */
    private void await() {
        Waiter waiter = new Waiter();
        State before = change(seen -> seen.closed || seen.takeable() > 0 ? seen : seen.with(seen.waiters.with(waiter)));
        if (before.closed || before.takeable() > 0) {
            return;
        }
        while (!waiter.called) {
            LockSupport.park(this);
            if (Thread.currentThread().isInterrupted()) {
                change(seen -> seen.with(seen.waiters.without(one -> one == waiter)));
                return;
            }
        }
    }

    private void callAnother() {
        State seen;
        do {
            seen = state.get();
            if (seen.takeable() == 0 || seen.waiters.isEmpty()) {
                return;
            }
        } while (!state.compareAndSet(seen, seen.with(seen.waiters.rest())));
        seen.waiters.first().call();
    }

    /**
     * Lets the next suspect run if this claim was the running one. Called when a claim is closed and its outcome written: if the
     * next suspect killed the node before that, this one would be charged for it.
     */
    void closed(OpenClaim claim) {
        if (claim.job().runsAlone()) {
            change(seen -> seen.aloneOut == claim
                    ? new State(seen.ordinary, seen.alone, null, seen.waiters, seen.closed)
                    : seen);
        }
    }

    /** Removes and returns the waiting claims that were claimed before the given time. */
    List<OpenClaim> removeClaimedBefore(long nanos) {
        Predicate<OpenClaim> old = claim -> claim.claimedAt() - nanos < 0;
        State before = change(seen -> seen.without(old));
        List<OpenClaim> removed = new ArrayList<>(before.ordinary.toList());
        removed.addAll(before.alone.toList());
        removed.removeIf(old.negate());
        return removed;
    }

    /** Removes a claim that was ended or lost while it waited. */
    void remove(OpenClaim claim) {
        change(seen -> seen.without(one -> one == claim));
    }

    boolean isClosed() {
        return state.get().closed;
    }

    /** Wakes every waiting thread; no further job is handed out. */
    void close() {
        change(seen -> new State(seen.ordinary, seen.alone, seen.aloneOut, seen.waiters, true));
    }

    /** Swaps the state, wakes the threads that have a job to take, and returns the state before. */
    private State change(UnaryOperator<State> step) {
        while (true) {
            State seen = state.get();
            State next = step.apply(seen);
            if (next == seen) {
                return seen;
            }
            int calls = next.callsAfter(seen);
            if (state.compareAndSet(seen, calls == 0 ? next : next.with(next.waiters.skip(calls)))) {
                next.waiters.first(calls).forEach(Waiter::call);
                return seen;
            }
        }
    }
}
