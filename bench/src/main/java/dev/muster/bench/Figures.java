package dev.muster.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** What one measurement yielded: some metrics once, some several times. */
final class Figures {
    private final Map<Metric, List<Double>> values = new LinkedHashMap<>();

    Figures add(Metric metric, double value) {
        values.computeIfAbsent(metric, m -> new ArrayList<>()).add(value);
        return this;
    }

    Figures add(Metric metric, OptionalDouble value) {
        value.ifPresent(v -> add(metric, v));
        return this;
    }

    /** The 50th and 99th percentile. */
    Figures addDelays(Metric p50, Metric p99, long[] nanos) {
        long[] sorted = nanos.clone();
        java.util.Arrays.sort(sorted);
        return add(p50, sorted[sorted.length / 2] / 1e6).add(p99, sorted[sorted.length * 99 / 100] / 1e6);
    }

    Map<Metric, List<Double>> values() {
        return values;
    }

    /** Medians in one line. */
    String text() {
        return values.entrySet().stream()
                .map(e -> e.getKey().name() + "="
                        + e.getKey().unit().show(new Samples(e.getValue()).median()) + " "
                        + e.getKey().unit().label())
                .collect(Collectors.joining(" "));
    }
}
