package dev.muster.internal.worker;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Measures how fast this node runs jobs: how long handlers take, and how many jobs it has really run lately. The two differ if
 * threads wait for a processor or for the database. All threads write it, the pumps read it.
 */
final class JobThroughput {
    private static final int MIN_SAMPLE = 4;
    private static final long MIN_WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final LongAdder nanos = new LongAdder();
    private final LongAdder runs = new LongAdder();
    private long seenNanos;
    private long seenRuns;
    private double average = -1;
    private long windowStart;
    private long windowRuns;
    private double perNano;
    private long stalledAt = -1;

    void record(long elapsedNanos) {
        nanos.add(elapsedNanos);
        runs.increment();
    }

    /**
     * Records that a claimed job has found no thread in time, while the jobs on the threads have been running for this long: the average
     * is at least that.
     */
    synchronized void stalled(long elapsedNanos) {
        average = Math.max(average, elapsedNanos);
        stalledAt = runs.sum();
    }

    /** Whether no job has ended since a claimed job found no thread in time. */
    synchronized boolean isStalled() {
        return stalledAt == runs.sum();
    }

    /**
     * How many jobs this many threads are likely to run in the given time; none while nothing is known. A node that has just
     * started, or had little to do, is assumed to manage a few jobs per thread and has to prove more before it claims more, so
     * that one node does not claim what others could run.
     */
    synchronized int jobsWithin(long time, int threads, long now) {
        double perRun = average();
        if (perRun < 0) {
            return 0;
        }
        double byDuration = threads * time / Math.max(perRun, 1);
        double shown = Math.max(4.0 * threads, rate(now) * time);
        return (int) Math.min(Integer.MAX_VALUE, Math.min(byDuration, shown));
    }

    private double average() {
        long totalRuns = runs.sum();
        long newRuns = totalRuns - seenRuns;
        if (newRuns >= MIN_SAMPLE) {
            long totalNanos = nanos.sum();
            double recent = (double) (totalNanos - seenNanos) / newRuns;
            average = average < 0 ? recent : (average + recent) / 2;
            seenNanos = totalNanos;
            seenRuns = totalRuns;
        }
        return average;
    }

    /** Runs per nanosecond. Rises at once, and falls by half for each slower window. */
    private double rate(long now) {
        long window = now - windowStart;
        if (window >= MIN_WINDOW_NANOS) {
            long total = runs.sum();
            double recent = (double) (total - windowRuns) / window;
            perNano = Math.max(recent, (perNano + recent) / 2);
            windowStart = now;
            windowRuns = total;
        }
        return perNano;
    }
}
