package dev.muster.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What was measured, by metric and contender, round by round. */
final class Results {
    private final List<Contender> contenders;
    private final Map<Metric, Map<String, List<Double>>> rounds = new LinkedHashMap<>();

    /** A quotient of Muster and another contender. */
    record Ratio(String name, Samples samples) {}

    Results(List<Contender> contenders) {
        this.contenders = List.copyOf(contenders);
    }

    List<Contender> contenders() {
        return contenders;
    }

    void add(Contender contender, Map<Metric, Double> measured) {
        measured.forEach((metric, value) -> rounds.computeIfAbsent(metric, m -> new LinkedHashMap<>())
                .computeIfAbsent(contender.name(), c -> new ArrayList<>())
                .add(value));
    }

    List<Metric> metrics() {
        return List.copyOf(rounds.keySet());
    }

    Optional<Samples> samples(Metric metric, Contender contender) {
        return Optional.ofNullable(rounds.getOrDefault(metric, Map.of()).get(contender.name()))
                .map(Samples::new);
    }

    /** Muster against each other contender, within each round: above 1 Muster is faster, or takes less of the processor. */
    List<Ratio> ratios() {
        List<Ratio> ratios = new ArrayList<>();
        for (Metric metric : rounds.keySet()) {
            List<Double> ours = rounds.get(metric).get("muster");
            if (ours == null || metric.unit() == Metric.Unit.MILLISECONDS) {
                continue;
            }
            rounds.get(metric).forEach((name, theirs) -> {
                if (!name.equals("muster")) {
                    boolean cost = metric.unit() == Metric.Unit.CPU_MICROSECONDS;
                    Samples samples = cost ? quotients(theirs, ours) : quotients(ours, theirs);
                    ratios.add(new Ratio(metric.name() + "_vs_" + name, samples));
                }
            });
        }
        return ratios;
    }

    private static Samples quotients(List<Double> over, List<Double> under) {
        List<Double> quotients = new ArrayList<>();
        for (int i = 0; i < Math.min(over.size(), under.size()); i++) {
            quotients.add(over.get(i) / under.get(i));
        }
        return new Samples(quotients);
    }
}
