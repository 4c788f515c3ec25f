package dev.muster.gateway.internal.metrics;

import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/** A counter for each constant of an enum. Thread-safe. */
final class Counts<E extends Enum<E>> {
    private final String[] labels;
    private final LongAdder[] counts;

    /** @param values all constants, in their order */
    Counts(E[] values) {
        this(values, Samples::text);
    }

    /** @param label the value of the label that stands for a constant */
    Counts(E[] values, Function<E, String> label) {
        this.labels = Arrays.stream(values).map(label).toArray(String[]::new);
        this.counts = new LongAdder[values.length];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    void count(E value) {
        counts[value.ordinal()].increment();
    }

    /** What is called for each constant. */
    @FunctionalInterface
    interface Reader {
        void read(String label, long count);
    }

    void forEach(Reader reader) {
        for (int i = 0; i < counts.length; i++) {
            reader.read(labels[i], counts[i].sum());
        }
    }
}
