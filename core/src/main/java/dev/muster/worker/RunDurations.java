package dev.muster.worker;

import java.util.concurrent.atomic.LongAdder;

/** How long handlers take, averaged with the recent past weighing most. Written by all threads, read by the pumps. */
final class RunDurations {
    private static final int MIN_SAMPLE = 4;

    private final LongAdder nanos = new LongAdder();
    private final LongAdder runs = new LongAdder();
    private long seenNanos;
    private long seenRuns;
    private double average = -1;

    void record(long elapsedNanos) {
        nanos.add(elapsedNanos);
        runs.increment();
    }

    /** Says that a job has been running for this long: the average is not below that. */
    synchronized void stillRunning(long elapsedNanos) {
        average = Math.max(average, elapsedNanos);
    }

    /** Nanoseconds per run, or negative while nothing is known. */
    synchronized double average() {
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
}
