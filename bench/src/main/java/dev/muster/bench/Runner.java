package dev.muster.bench;

import dev.muster.embedded.EmbeddedPostgres;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Lets contenders take turns, round by round. */
final class Runner {
    private final EmbeddedPostgres server;
    private final Progress progress;

    Runner(EmbeddedPostgres server, Progress progress) {
        this.server = server;
        this.progress = progress;
    }

    /** Runs each scenario with one round to warm up and then the rounds that count. */
    Results run(List<Scenario> scenarios, List<Contender> contenders, int rounds) throws Exception {
        Results results = new Results(contenders);
        for (Scenario scenario : scenarios) {
            List<Contender> suited =
                    new ArrayList<>(contenders.stream().filter(scenario::suits).toList());
            for (int round = 0; round <= rounds; round++) {
                for (Contender contender : suited) {
                    String title = scenario.name() + " " + (round == 0 ? "warm-up" : round + "/" + rounds) + " "
                            + contender.name();
                    progress.now(title + " …");
                    Map<Metric, Double> measured = measure(scenario, contender);
                    progress.done(title + " " + text(scenario, measured));
                    if (round > 0) {
                        results.add(contender, measured);
                    }
                }
                Collections.rotate(suited, 1);
            }
        }
        return results;
    }

    private Map<Metric, Double> measure(Scenario scenario, Contender contender) throws Exception {
        try (Scratch database = new Scratch(server);
                Site site = contender.open(database.url())) {
            database.checkpoint();
            return scenario.measure(database, site);
        }
    }

    private static String text(Scenario scenario, Map<Metric, Double> measured) {
        return scenario.metrics().stream()
                .filter(measured::containsKey)
                .map(m -> m.name() + "=" + m.unit().show(measured.get(m)) + " "
                        + m.unit().label())
                .collect(Collectors.joining(" "));
    }
}
