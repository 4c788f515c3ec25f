package dev.muster.bench;

import java.util.List;
import java.util.stream.IntStream;

/** The same figure, measured a few times. */
record Samples(List<Double> values) {
    private static final int MANY = 20;

    Samples {
        values = List.copyOf(values);
    }

    double median() {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    /** The least; of many the 5th percentile, because one hiccup says nothing. */
    double low() {
        return at(values.size() < MANY ? 0 : 0.05);
    }

    /** The greatest; of many the 95th percentile. */
    double high() {
        return at(values.size() < MANY ? 1 : 0.95);
    }

    private double at(double quantile) {
        return values.stream()
                .sorted()
                .skip(Math.round((values.size() - 1) * quantile))
                .findFirst()
                .orElseThrow();
    }

    /** Each by the one measured next to it. */
    Samples dividedBy(Samples others) {
        return new Samples(IntStream.range(0, Math.min(values.size(), others.values.size()))
                .mapToObj(i -> values.get(i) / others.values.get(i))
                .toList());
    }
}
