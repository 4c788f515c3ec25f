package dev.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.embedded.EmbeddedPostgres;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BenchIT {
    private static final int JOBS = 300;

    @Test
    void every_contender_does_every_job_and_the_report_names_them() throws Exception {
        List<Contender> contenders =
                List.of(new FloorContender(), new OwnSqlContender(), new MusterContender(), new DbSchedulerContender());
        List<Scenario> scenarios =
                List.of(new ProcessScenario(JOBS), new EnqueueScenario(JOBS), new LatencyScenario(5));

        Results results = new Runner(EmbeddedPostgres.shared(), Progress.silent()).run(scenarios, contenders, 1);

        Map<String, Object> document = new Report(results, Map.of("jobs", JOBS)).document();
        assertThat(document).containsOnlyKeys("floor", "own_sql", "muster", "peers", "ratios", "spread", "settings");
        assertThat(document.get("floor")).asString().contains("process=", "enqueue=", "enqueue_single=");
        assertThat(document.get("muster")).asString().contains("process=", "latency_in_transaction_p99=");
        assertThat(document.get("peers")).asString().contains("db_scheduler", "process=");
        assertThat(document.get("ratios"))
                .asString()
                .contains("process_vs_floor", "process_vs_db_scheduler", "enqueue_vs_floor");
        assertThat(new Report(results, Map.of()).table()).contains("process_vs_own_sql");
    }
}
