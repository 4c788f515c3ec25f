package dev.muster.bench;

import dev.muster.bench.contender.Contender;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What was measured, by metric and contender, round by round. */
final class Results {
    private final List<Contender> contenders;
    private final List<Scenario.Comparison> comparisons;
    private final Map<Metric, Map<String, List<Double>>> rounds = new LinkedHashMap<>();
    private final Map<String, String> failures = new LinkedHashMap<>();

    /** A quotient, and between which those lie that it is made of. */
    record Ratio(String name, double value, double low, double high) {}

    Results(List<Contender> contenders, List<Scenario> scenarios) {
        this.contenders = List.copyOf(contenders);
        this.comparisons =
                scenarios.stream().flatMap(s -> s.comparisons().stream()).toList();
    }

    List<Contender> contenders() {
        return contenders;
    }

    void add(Contender contender, Figures figures) {
        figures.values()
                .forEach((metric, values) -> rounds.computeIfAbsent(metric, m -> new LinkedHashMap<>())
                        .computeIfAbsent(contender.name(), c -> new ArrayList<>())
                        .addAll(values));
    }

    /** Notes that a scenario could not be measured; what was measured before stands. */
    void failed(Scenario scenario, String reason) {
        failures.put(scenario.name(), reason);
    }

    /** Scenarios that could not be measured, with the reason. */
    Map<String, String> failures() {
        return Collections.unmodifiableMap(failures);
    }

    List<Metric> metrics() {
        return List.copyOf(rounds.keySet());
    }

    Optional<Samples> samples(Metric metric, String contender) {
        return Optional.ofNullable(rounds.getOrDefault(metric, Map.of()).get(contender))
                .map(Samples::new);
    }

    /**
     * Muster against each other contender, the median over rounds of the ratio within a round: above 1 Muster is
     * faster, or takes less of the processor.
     */
    List<Ratio> ratios() {
        List<Ratio> ratios = new ArrayList<>();
        for (Metric metric : rounds.keySet()) {
            Optional<Samples> ours = samples(metric, MusterContender.NAME);
            if (!metric.compared() || ours.isEmpty()) {
                continue;
            }
            rounds.get(metric).keySet().stream()
                    .filter(name -> !name.equals(MusterContender.NAME))
                    .forEach(name -> {
                        Samples theirs = samples(metric, name).orElseThrow();
                        boolean cost = metric.unit() == Metric.Unit.CPU_MICROSECONDS;
                        Samples quotients =
                                cost ? theirs.dividedBy(ours.get()) : ours.get().dividedBy(theirs);
                        ratios.add(new Ratio(
                                metric.name() + "_vs_" + name, quotients.median(), quotients.low(), quotients.high()));
                    });
        }
        ratios.addAll(ratiosOf(MusterContender.NAME));
        return ratios;
    }

    /** A contender against itself: the quotient of two medians. */
    List<Ratio> ratiosOf(String contender) {
        List<Ratio> ratios = new ArrayList<>();
        for (Scenario.Comparison comparison : comparisons) {
            Optional<Samples> over = samples(comparison.over(), contender);
            Optional<Samples> under = samples(comparison.under(), contender);
            if (over.isPresent() && under.isPresent()) {
                Samples pairs = over.get().dividedBy(under.get());
                double factor = comparison.factor();
                ratios.add(new Ratio(
                        comparison.name(),
                        factor * over.get().median() / under.get().median(),
                        factor * pairs.low(),
                        factor * pairs.high()));
            }
        }
        return ratios;
    }
}
