package dev.muster.testing;

import java.time.Duration;

/**
 * Times that are promised. They hold on a quiet machine, so {@code ./verify} prints them, and {@code ./verify --long}, which runs one
 * test at a time, asserts them.
 */
public final class Measured {
    private Measured() {}

    /** What took this long is promised to take at most {@code limit}. */
    public static void within(Duration limit, Duration took, String what) {
        System.out.printf("%s took %d ms; at most %d ms are promised%n", what, took.toMillis(), limit.toMillis());
        if (Sizes.full() && took.compareTo(limit) > 0) {
            throw new AssertionError(what + " took " + took + "; at most " + limit + " are promised");
        }
    }
}
