package dev.muster.bench;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** Counts handler calls and knows when the first and the last of them came. */
final class Handled {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final AtomicLong count = new AtomicLong();
    private final long expected;
    private final CountDownLatch all = new CountDownLatch(1);
    private volatile long first;
    private volatile long last;

    Handled(long expected) {
        this.expected = expected;
    }

    void one() {
        long number = count.get();
        if (number == 0 && first == 0) {
            first = System.nanoTime();
        }
        if (expected == Integer.MAX_VALUE) {
            last = System.nanoTime();
        }
        if (count.incrementAndGet() == expected) {
            all.countDown();
        }
    }

    long count() {
        return count.get();
    }

    boolean await(Duration atMost) throws InterruptedException {
        return all.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
    }

    long nanosSinceFirst() {
        return System.nanoTime() - first;
    }

    /** Waits for the n-th call and returns when it came. */
    long awaitLast(long n) throws InterruptedException, TimeoutException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (count.get() < n) {
            if (System.nanoTime() - deadline >= 0) {
                throw new TimeoutException("job " + n + " did not start within 30 s");
            }
            TimeUnit.MICROSECONDS.sleep(200);
        }
        return last;
    }
}
