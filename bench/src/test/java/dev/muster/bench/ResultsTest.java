package dev.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.muster.bench.contender.Contender;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ResultsTest {
    private final Contender floor = new FloorContender();
    private final Contender muster = new MusterContender();
    private final Results results = new Results(
            List.of(floor, muster),
            Arrays.stream(ScenarioName.values())
                    .map(w -> w.scenario(Plan.full()))
                    .toList());

    private Map<String, Double> ratios() {
        return results.ratios().stream().collect(Collectors.toMap(Results.Ratio::name, Results.Ratio::value));
    }

    @Test
    void a_ratio_to_another_is_the_median_of_those_within_a_round() {
        double[][] rounds = {{100, 50}, {10, 9}, {200, 160}};
        for (double[] round : rounds) {
            results.add(floor, new Figures().add(ProcessScenario.RATE, round[0]));
            results.add(muster, new Figures().add(ProcessScenario.RATE, round[1]));
        }

        assertThat(ratios()).containsExactly(Map.entry("process_vs_floor", 0.8));
    }

    @Test
    void a_ratio_to_oneself_is_the_quotient_of_medians() {
        results.add(
                muster,
                new Figures()
                        .add(HorizonScenario.PINNED, 90)
                        .add(HorizonScenario.UNPINNED, 100)
                        .add(BacklogScenario.claim(1_000), 2)
                        .add(BacklogScenario.claim(10_000_000), 3)
                        .add(NodesScenario.together(1), 1_000)
                        .add(NodesScenario.together(4), 1_100)
                        .add(NodesScenario.sleeping(1), 160)
                        .add(NodesScenario.sleeping(10), 1_520));

        Map<String, Double> ratios = ratios();
        assertThat(ratios)
                .containsOnlyKeys(
                        "horizon_pinned_vs_unpinned", "backlog_10m_vs_1k", "nodes_4_vs_1", "nodes_sleep_10_vs_linear");
        assertThat(ratios.get("horizon_pinned_vs_unpinned")).isEqualTo(0.9, within(1e-9));
        assertThat(ratios.get("backlog_10m_vs_1k")).isEqualTo(1.5, within(1e-9));
        assertThat(ratios.get("nodes_4_vs_1")).isEqualTo(1.1, within(1e-9));
        assertThat(ratios.get("nodes_sleep_10_vs_linear")).isEqualTo(0.95, within(1e-9));
    }
}
