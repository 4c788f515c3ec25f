package dev.muster.bench;

import dev.muster.bench.contender.Site;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Enqueues at an even rate, from a thread of its own, until closed. */
final class Pacer implements AutoCloseable {
    private static final int CHUNKS_PER_SECOND = 100;

    private final Site site;
    private final AtomicInteger next;
    private final double perSecond;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final Thread thread = new Thread(this::run, "pacer");
    private volatile @Nullable Exception failure;

    /** @param next the number of the next job; moves on */
    Pacer(Site site, AtomicInteger next, double perSecond) {
        this.site = site;
        this.next = next;
        this.perSecond = perSecond;
        thread.start();
    }

    private void run() {
        int chunk = (int) Math.max(1, perSecond / CHUNKS_PER_SECOND);
        double interval = chunk * 1e9 / perSecond;
        double due = System.nanoTime();
        try {
            while (!stopped.get()) {
                long wait = (long) (due - System.nanoTime());
                if (wait > 0) {
                    TimeUnit.NANOSECONDS.sleep(wait);
                } else if (wait < -TimeUnit.SECONDS.toNanos(1)) {
                    // Too slow for the rate; it shall not come as a flood later.
                    due = System.nanoTime();
                }
                site.enqueue(next.getAndAdd(chunk), chunk);
                due += interval;
            }
        } catch (Exception e) {
            failure = e;
        }
    }

    @Override
    public void close() {
        stopped.set(true);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        check();
    }

    /** Fails if enqueuing has. */
    void check() {
        if (failure != null) {
            throw new IllegalStateException("enqueuing failed", failure);
        }
    }
}
