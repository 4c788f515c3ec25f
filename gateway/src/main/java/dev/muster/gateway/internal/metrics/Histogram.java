package dev.muster.gateway.internal.metrics;

import java.time.Duration;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;

/** Counts durations by size, in few buckets that are the same for all. Thread-safe; recording allocates nothing. */
final class Histogram {
    private static final double NANOS = 1e9;

    /** The upper bounds of the buckets in seconds; a duration that equals a bound belongs to its bucket. */
    private static final double[] SECONDS = {0.001, 0.01, 0.1, 0.5, 2.5, 10, 60, 600, Double.POSITIVE_INFINITY};

    private static final long[] BOUNDS = {
        1_000_000L,
        10_000_000L,
        100_000_000L,
        500_000_000L,
        2_500_000_000L,
        10_000_000_000L,
        60_000_000_000L,
        600_000_000_000L,
        Long.MAX_VALUE
    };

    /** Duration.toNanos fails beyond 292 years. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final LongAdder[] counts = new LongAdder[BOUNDS.length];

    /** In seconds: the waiting times of a large backlog would overflow a sum of nanoseconds. */
    private final DoubleAdder sum = new DoubleAdder();

    Histogram() {
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    static double[] bounds() {
        return SECONDS.clone();
    }

    /** A negative duration, which clocks that differ may lead to, counts as 0. */
    void record(long nanos) {
        long duration = Math.max(0, nanos);
        int bucket = 0;
        while (duration > BOUNDS[bucket]) {
            bucket++;
        }
        counts[bucket].increment();
        sum.add(duration / NANOS);
    }

    void record(Duration duration) {
        if (duration.isNegative()) {
            record(0);
        } else {
            record(duration.compareTo(LONGEST) < 0 ? duration.toNanos() : LONGEST.toNanos());
        }
    }

    /** How many durations each bucket has, without those of the buckets before it. */
    long[] counts() {
        long[] now = new long[counts.length];
        for (int i = 0; i < now.length; i++) {
            now[i] = counts[i].sum();
        }
        return now;
    }

    double sum() {
        return sum.sum();
    }

    boolean isEmpty() {
        for (LongAdder count : counts) {
            if (count.sum() > 0) {
                return false;
            }
        }
        return true;
    }
}
