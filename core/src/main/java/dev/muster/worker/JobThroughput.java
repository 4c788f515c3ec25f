package dev.muster.worker;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * How fast this node gets through its jobs: by how long handlers take, and by how many it has really run of late.
 * The two differ where threads wait for a processor or for the database. Written by all threads, read by the pumps.
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

    void record(long elapsedNanos) {
        nanos.add(elapsedNanos);
        runs.increment();
    }

    /** Says that a job has been running for this long: the average is not below that. */
    synchronized void stillRunning(long elapsedNanos) {
        average = Math.max(average, elapsedNanos);
    }

    /**
     * How many jobs that many threads are likely to get through in the given time; none while nothing is known. A
     * node that has just begun, or had little to do, is believed to manage a few rounds of its threads, and has to
     * show more before it is given more: so one node does not take what others could run.
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

    /** Runs per nanosecond: up at once, down by half for each slower window. */
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
