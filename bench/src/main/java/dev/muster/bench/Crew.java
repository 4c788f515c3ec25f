package dev.muster.bench;

import dev.muster.bench.contender.Site;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Some threads that do the same and are waited for. */
final class Crew {
    private Crew() {}

    /** Work of one thread. */
    @FunctionalInterface
    interface Work {
        void run(int thread) throws Exception;
    }

    /** Runs the work on each thread and waits for all; the first failure is thrown. */
    static void run(int threads, Work work) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Callable<Void>> calls = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                calls.add(() -> {
                    work.run(thread);
                    return null;
                });
            }
            for (Future<Void> done : pool.invokeAll(calls)) {
                done.get();
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            pool.shutdownNow();
        }
    }

    /** Enqueues jobs in chunks, from several threads. */
    static void enqueue(Site site, int from, int jobs, int chunk, int threads) throws Exception {
        int end = from + jobs;
        AtomicInteger next = new AtomicInteger(from);
        run(threads, thread -> {
            int first;
            while ((first = next.getAndAdd(chunk)) < end) {
                site.enqueue(first, Math.min(chunk, end - first));
            }
        });
    }

    /** How many jobs a second {@link #enqueue} takes in. */
    static double enqueuePerSecond(Site site, int from, int jobs, int chunk, int threads) throws Exception {
        long start = System.nanoTime();
        enqueue(site, from, jobs, chunk, threads);
        return jobs * 1e9 / (System.nanoTime() - start);
    }
}
