package dev.muster.internal.worker;

import dev.muster.job.JobExecutor;
import dev.muster.job.JobTask;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs jobs on a pool of the JDK, and remembers its tasks. */
final class PoolExecutor implements JobExecutor {
    final List<JobTask> tasks = new CopyOnWriteArrayList<>();
    final AtomicInteger refusals = new AtomicInteger();
    private volatile boolean givesBack;
    private final int capacity;
    private final ExecutorService pool;

    PoolExecutor(int capacity) {
        this.capacity = capacity;
        this.pool = Executors.newFixedThreadPool(capacity, code -> {
            Thread thread = new Thread(code, "own-pool");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Refuses this many tasks from now on. */
    void refuse(int count) {
        refusals.set(count);
    }

    /** Gives every task back without running it, from now on. */
    void giveBack() {
        givesBack = true;
    }

    @Override
    public int capacity() {
        return capacity;
    }

    @Override
    public void execute(JobTask task) {
        tasks.add(task);
        if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new IllegalStateException("not today");
        }
        if (givesBack) {
            task.interrupt();
        } else {
            pool.execute(task::run);
        }
    }

    @Override
    public void close(Duration timeout) {
        pool.shutdownNow();
        try {
            pool.awaitTermination(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    boolean isClosed() {
        return pool.isShutdown();
    }
}
