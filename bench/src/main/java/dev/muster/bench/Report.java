package dev.muster.bench;

import dev.muster.bench.contender.Contender;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Results as a table for people, and as a document for programs. */
final class Report {
    private final Results results;
    private final Map<String, Object> settings;

    Report(Results results, Map<String, Object> settings) {
        this.results = results;
        this.settings = settings;
    }

    String table() {
        StringBuilder text = new StringBuilder();
        text.append(line("", "", "median", "low", "high"));
        for (Metric metric : results.metrics()) {
            for (Contender contender : results.contenders()) {
                results.samples(metric, contender.name())
                        .ifPresent(s -> text.append(line(
                                metric.name() + ", " + metric.unit().label(),
                                contender.name(),
                                metric.unit().show(s.median()),
                                metric.unit().show(s.low()),
                                metric.unit().show(s.high()))));
            }
        }
        results.ratios().forEach(ratio -> text.append(line(ratio, "")));
        for (Contender contender : results.contenders()) {
            if (contender.kind() != Contender.Kind.MUSTER) {
                results.ratiosOf(contender.name()).forEach(ratio -> text.append(line(ratio, contender.name())));
            }
        }
        results.failures().forEach((scenario, reason) -> text.append(scenario + ": failed, " + reason + "\n"));
        return text.toString();
    }

    private static String line(Results.Ratio ratio, String who) {
        return line(ratio.name(), who, times(ratio.value()), times(ratio.low()), times(ratio.high()));
    }

    private static String line(String what, String who, String median, String low, String high) {
        return String.format(Locale.ROOT, "%-40s %-14s %12s %12s %12s%n", what, who, median, low, high);
    }

    private static String times(double ratio) {
        return String.format(Locale.ROOT, ratio < 0.2 ? "%.3f×" : "%.2f×", ratio);
    }

    /** {@code {floor, muster, peers, ratios, …}}: medians; the spread stands beside them. */
    Map<String, Object> document() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("floor", Map.of());
        document.put(MusterContender.NAME, Map.of());
        Map<String, Object> peers = new LinkedHashMap<>();
        Map<String, Object> spread = new LinkedHashMap<>();
        for (Contender contender : results.contenders()) {
            Map<String, Object> medians = new LinkedHashMap<>();
            Map<String, Object> ranges = new LinkedHashMap<>();
            for (Metric metric : results.metrics()) {
                results.samples(metric, contender.name()).ifPresent(s -> {
                    medians.put(metric.name(), rounded(s.median()));
                    ranges.put(metric.name(), range(s.low(), s.high()));
                });
            }
            if (contender.kind() != Contender.Kind.MUSTER) {
                for (Results.Ratio ratio : results.ratiosOf(contender.name())) {
                    medians.put(ratio.name(), rounded(ratio.value()));
                    ranges.put(ratio.name(), range(ratio.low(), ratio.high()));
                }
            }
            (isPeer(contender) ? peers : document).put(contender.name(), medians);
            spread.put(contender.name(), ranges);
        }
        Map<String, Object> ratios = new LinkedHashMap<>();
        Map<String, Object> ratioRanges = new LinkedHashMap<>();
        for (Results.Ratio ratio : results.ratios()) {
            ratios.put(ratio.name(), rounded(ratio.value()));
            ratioRanges.put(ratio.name(), range(ratio.low(), ratio.high()));
        }
        spread.put("ratios", ratioRanges);
        document.put("peers", peers);
        document.put("ratios", ratios);
        document.put("spread", spread);
        document.put("settings", settings);
        if (!results.failures().isEmpty()) {
            document.put("failures", results.failures());
        }
        return document;
    }

    private static boolean isPeer(Contender contender) {
        return contender.kind() == Contender.Kind.PEER || contender.kind() == Contender.Kind.WORKFLOW_PEER;
    }

    private static List<Double> range(double low, double high) {
        return List.of(rounded(low), rounded(high));
    }

    private static double rounded(double value) {
        return value >= 1_000 ? Math.rint(value) : Math.rint(value * 1_000) / 1_000;
    }
}
