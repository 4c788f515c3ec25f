package dev.muster.bench;

import java.util.List;
import java.util.stream.IntStream;

/** The same figure, measured a few times. */
record Samples(List<Double> values) {

    Samples {
        values = List.copyOf(values);
    }

    double median() {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    double min() {
        return values.stream().mapToDouble(v -> v).min().orElseThrow();
    }

    double max() {
        return values.stream().mapToDouble(v -> v).max().orElseThrow();
    }

    /** Each by the one measured next to it. */
    Samples dividedBy(Samples others) {
        return new Samples(IntStream.range(0, Math.min(values.size(), others.values.size()))
                .mapToObj(i -> values.get(i) / others.values.get(i))
                .toList());
    }
}
