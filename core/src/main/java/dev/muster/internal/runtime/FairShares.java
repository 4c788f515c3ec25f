package dev.muster.internal.runtime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Something of which there is a certain amount, and which callers take and give back. Of the last quarter nobody gets more than is left for others,
 * except for what is the only one that a caller has. Whoever has to wait is served in the order of how much the callers have: so one that takes very
 * much waits for itself, and nobody who wants much waits while others take what becomes free.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class FairShares {
    /** The part that nobody takes alone. */
    private static final int SHARED_PART = 4;

    /** How often somebody who waits looks whether it can do something about that, within its patience. */
    private static final int LOOKS = 20;

    /** When less than this is free, it is shared out. */
    private final long shared;

    private final int mostWaiting;
    private final Map<String, Long> taken = new HashMap<>();
    private final List<Waiter> waiting = new ArrayList<>();
    private long free;

    private static final class Waiter {
        private final String caller;
        private final long has;
        private final long wants;
        private boolean served;

        Waiter(String caller, long has, long wants) {
            this.caller = caller;
            this.has = has;
            this.wants = wants;
        }
    }

    /**
     * @param all how much there is
     * @param mostWaiting how many may wait at the same time; one caller may have no more of them than are left for others, and at least one
     */
    public FairShares(long all, int mostWaiting) {
        this.free = all;
        this.shared = all == 1 ? 0 : Math.max(1, all / SHARED_PART);
        this.mostWaiting = mostWaiting;
    }

    /** Takes something if it is free, and waits for nothing. */
    public boolean takeNow(String caller, long has, long wants) {
        Waiter one = new Waiter(caller, has, wants);
        synchronized (this) {
            waiting.add(one);
            serve();
            if (!one.served) {
                waiting.remove(one);
                serve();
            }
            return one.served;
        }
    }

    /**
     * Takes something, and waits for it.
     *
     * @param has what the same request of this caller has already, which is not held against it
     * @param meanwhile what it does now and then while it waits
     * @return false if it was not free in time, or too many wait already; nothing is taken then
     */
    public boolean take(String caller, long has, long wants, Duration patience, Runnable meanwhile)
            throws InterruptedException {
        Waiter one = new Waiter(caller, has, wants);
        synchronized (this) {
            waiting.add(one);
            serve();
            if (one.served) {
                return true;
            }
            if (!mayWait(caller)) {
                waiting.remove(one);
                serve();
                return false;
            }
        }
        boolean got = false;
        try {
            got = await(one, patience, meanwhile);
            return got;
        } finally {
            if (!got) {
                giveUp(one);
            }
        }
    }

    private boolean await(Waiter one, Duration patience, Runnable meanwhile) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        long pause = Math.max(1, TimeUnit.NANOSECONDS.toMillis(patience.toNanos() / LOOKS));
        while (true) {
            meanwhile.run();
            synchronized (this) {
                if (!one.served && deadline - System.nanoTime() > 0) {
                    wait(pause);
                }
                if (one.served) {
                    return true;
                }
                if (deadline - System.nanoTime() <= 0) {
                    return false;
                }
            }
        }
    }

    /** Gives back some of what a caller has, or all of it. */
    public synchronized void giveBack(String caller, long amount) {
        if (amount > 0) {
            free += amount;
            taken.computeIfPresent(caller, (name, had) -> had == amount ? null : had - amount);
            serve();
        }
    }

    /** How many wait. */
    public synchronized int waiting() {
        return waiting.size();
    }

    /** How much is free. */
    public synchronized long free() {
        return free;
    }

    /** Whether somebody may wait who is counted among the waiting already. */
    private boolean mayWait(String caller) {
        long own = waiting.stream().filter(one -> one.caller.equals(caller)).count();
        int left = mostWaiting - waiting.size();
        return left >= 0 && (own == 1 || own <= left);
    }

    /** Serves those who wait, for as long as there is enough for the first one: the caller that has least. */
    private void serve() {
        boolean some = false;
        for (Optional<Waiter> next = next(); next.isPresent() && mayTake(next.get()); next = next()) {
            Waiter first = next.get();
            waiting.remove(first);
            first.served = true;
            free -= first.wants;
            taken.merge(first.caller, first.wants, Long::sum);
            some = true;
        }
        if (some) {
            notifyAll();
        }
    }

    private Optional<Waiter> next() {
        return waiting.stream().min(Comparator.comparingLong(one -> taken.getOrDefault(one.caller, 0L) - one.has));
    }

    private boolean mayTake(Waiter one) {
        long own = taken.getOrDefault(one.caller, 0L);
        long left = free - one.wants;
        return left >= 0 && (own == one.has || left >= shared || own + one.wants <= left);
    }

    /** It may have been served at the last moment. */
    private synchronized void giveUp(Waiter one) {
        if (one.served) {
            giveBack(one.caller, one.wants);
        } else {
            waiting.remove(one);
            serve();
        }
    }
}
