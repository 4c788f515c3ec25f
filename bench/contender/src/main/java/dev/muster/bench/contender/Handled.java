package dev.muster.bench.contender;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Counts jobs that were run, and knows when the first of them was and when all were. */
public final class Handled {
    private final AtomicLong count = new AtomicLong();
    private final long expected;
    private final CountDownLatch all = new CountDownLatch(1);
    private volatile long first;

    public Handled(long expected) {
        this.expected = expected;
    }

    /** Counts without an end. */
    public static Handled endless() {
        return new Handled(Long.MAX_VALUE);
    }

    /** Time runs from here, or else from the first job. */
    public void begin() {
        if (first == 0) {
            first = System.nanoTime();
        }
    }

    /** One job was started. */
    public void one() {
        add(1);
    }

    public void add(int jobs) {
        begin();
        if (count.addAndGet(jobs) >= expected) {
            all.countDown();
        }
    }

    public long count() {
        return count.get();
    }

    /** Waits for the expected number; false when the time is up. */
    public boolean await(Duration atMost) throws InterruptedException {
        return all.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
    }

    public long nanosSinceFirst() {
        return System.nanoTime() - first;
    }
}
