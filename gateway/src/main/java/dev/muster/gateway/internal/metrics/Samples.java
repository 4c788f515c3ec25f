package dev.muster.gateway.internal.metrics;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * The samples of one scrape, and the only class that knows the Prometheus library. An application of Spring Boot brings the version of that
 * library that it has itself, so only what version 1.3 has is used. For one thread.
 */
final class Samples {
    static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private static final PrometheusTextFormatWriter WRITER =
            PrometheusTextFormatWriter.builder().build();
    private static final double[] BOUNDS = Histogram.bounds();

    private final Map<Metric, Collection<Sample>> all = new EnumMap<>(Metric.class);

    private sealed interface Sample {
        Labels labels();
    }

    private record Value(Labels labels, double value) implements Sample {}

    private record Distribution(Labels labels, long[] counts, double sum) implements Sample {}

    /** The name of a constant as a label has it. */
    static String text(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** @param labels the values of the metric's labels, in their order; no two samples of a metric have the same */
    void add(Metric metric, double value, String... labels) {
        samples(metric).add(new Value(labels(metric, labels), value));
    }

    void add(Metric metric, Histogram histogram, String... labels) {
        samples(metric).add(new Distribution(labels(metric, labels), histogram.counts(), histogram.sum()));
    }

    private Collection<Sample> samples(Metric metric) {
        return all.computeIfAbsent(metric, key -> new ArrayList<>());
    }

    private static Labels labels(Metric metric, String... values) {
        return Labels.of(metric.labels(), List.of(values));
    }

    /** The metrics in the order of their names, and the samples of each in the order of their labels. */
    String text() {
        List<MetricSnapshot> snapshots = new ArrayList<>();
        all.forEach((metric, samples) -> snapshots.add(snapshot(metric, samples)));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            WRITER.write(out, new MetricSnapshots(snapshots));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    private static MetricSnapshot snapshot(Metric metric, Collection<Sample> samples) {
        return switch (metric.type()) {
            case COUNTER ->
                new CounterSnapshot(
                        metadata(metric, "_total"),
                        points(
                                samples,
                                Value.class,
                                one -> new CounterDataPointSnapshot(one.value(), one.labels(), null, 0)));
            case GAUGE ->
                new GaugeSnapshot(
                        metadata(metric, ""),
                        points(
                                samples,
                                Value.class,
                                one -> new GaugeDataPointSnapshot(one.value(), one.labels(), null)));
            case INFO ->
                new InfoSnapshot(
                        metadata(metric, "_info"),
                        points(samples, Value.class, one -> new InfoDataPointSnapshot(one.labels())));
            case HISTOGRAM ->
                new HistogramSnapshot(metadata(metric, ""), points(samples, Distribution.class, Samples::histogram));
        };
    }

    private static HistogramDataPointSnapshot histogram(Distribution one) {
        return HistogramDataPointSnapshot.builder()
                .classicHistogramBuckets(ClassicHistogramBuckets.of(BOUNDS, one.counts()))
                .sum(one.sum())
                .labels(one.labels())
                .build();
    }

    /** The library adds the suffixes of counters and infos itself. */
    private static MetricMetadata metadata(Metric metric, String suffix) {
        String name = metric.text().substring(0, metric.text().length() - suffix.length());
        return new MetricMetadata(name, metric.help());
    }

    private static <S extends Sample, P> List<P> points(
            Collection<Sample> samples, Class<S> type, Function<S, P> convert) {
        return samples.stream().map(type::cast).map(convert).toList();
    }
}
