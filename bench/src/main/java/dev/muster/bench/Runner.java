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

    /** Lets everybody warm up for each scenario that needs it, and then runs the rounds that count. */
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
        if (scenario.warmsUp()) {
            for (Contender contender : suited) {
                warmUp(scenario, contender);
            }
        }
        for (int round = 1; round <= rounds; round++) {
            for (Contender contender : suited) {
                results.add(contender, measure(scenario, contender, rounds == 1 ? "" : " " + round + "/" + rounds));
            }
            Collections.rotate(suited, 1);
        }
    }

    /** By time, not by jobs: a fast contender's code is not yet compiled when a slow one's long is. */
    private void warmUp(Scenario scenario, Contender contender) throws Exception {
        long wanted = stage.plan().warmUp().toNanos();
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < wanted) {
            measure(scenario, contender, " warm-up");
        }
    }

    private Figures measure(Scenario scenario, Contender contender, String round) throws Exception {
        stage.begin(scenario.name() + " " + contender.name() + round);
        Figures figures = scenario.measure(stage, contender);
        stage.end(figures.text());
        return figures;
    }
}
