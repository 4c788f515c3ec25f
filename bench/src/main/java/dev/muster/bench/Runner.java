package dev.muster.bench;

import dev.muster.bench.contender.Contender;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Lets contenders take turns, round by round. */
final class Runner {
    private final Stage stage;

    Runner(Stage stage) {
        this.stage = stage;
    }

    /** Runs each scenario with a round to warm up, where it needs one, and then the rounds that count. */
    Results run(List<Scenario> scenarios, List<Contender> contenders) throws InterruptedException {
        Results results = new Results(contenders, scenarios);
        for (Scenario scenario : scenarios) {
            try {
                run(scenario, contenders, results);
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                // An hour of other figures is worth keeping.
                stage.fail(e);
                results.failed(scenario, String.valueOf(e.getMessage()));
            }
        }
        return results;
    }

    private void run(Scenario scenario, List<Contender> contenders, Results results) throws Exception {
        List<Contender> suited =
                new ArrayList<>(contenders.stream().filter(scenario::suits).toList());
        int rounds = scenario.rounds(stage.plan().rounds());
        for (int round = stage.plan().warmUp() && scenario.warmsUp() ? 0 : 1; round <= rounds; round++) {
            for (Contender contender : suited) {
                stage.begin(scenario.name() + " " + contender.name()
                        + (round == 0 ? " warm-up" : rounds == 1 ? "" : " " + round + "/" + rounds));
                Figures figures = scenario.measure(stage, contender);
                stage.end(figures.text());
                if (round > 0) {
                    results.add(contender, figures);
                }
            }
            Collections.rotate(suited, 1);
        }
    }
}
