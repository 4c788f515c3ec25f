package dev.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.bench.contender.Contender;
import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.testing.LongTest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchIT {
    private static final Plan PLAN = Plan.tiny();

    @TempDir
    private Path charts;

    /** These two have all contenders between them. */
    @Test
    void jobs_and_workflows_of_every_contender_are_measured() throws Exception {
        Results results = measure(ScenarioName.PROCESS, ScenarioName.WORKFLOWS);

        Map<String, Object> document = new Report(results, Map.of()).document();
        assertThat(document).containsOnlyKeys("floor", "own_sql", "muster", "peers", "ratios", "spread", "settings");
        assertThat(names(document, "floor")).contains("process");
        assertThat(names(document, "peers")).containsExactlyInAnyOrder("db_scheduler", "dbos", "jobrunr", "quartz");
        assertThat(names(document, "muster"))
                .contains("process", "workflow_runs", "workflow_runs_64_threads", "workflow_jobs");
        assertThat(names(document, "ratios"))
                .contains(
                        "process_vs_floor",
                        "process_vs_own_sql",
                        "process_vs_db_scheduler",
                        "process_vs_jobrunr",
                        "process_vs_quartz",
                        "workflow_runs_vs_jobs",
                        "workflow_runs_64_threads_vs_jobs",
                        "workflow_runs_vs_dbos");
        assertThat(new Report(results, Map.of()).table()).contains("process_vs_own_sql");
        assertThat(new Charts(results, PLAN).draw(charts)).isNotEmpty().allSatisfy(BenchIT::isPicture);
    }

    @LongTest(twin = BenchIT.class, test = "jobs_and_workflows_of_every_contender_are_measured", why = "all scenarios")
    @Test
    void every_scenario_measures_every_contender_that_it_suits() throws Exception {
        Results results = measure(ScenarioName.values());

        Map<String, Object> document = new Report(results, Map.of()).document();
        assertThat(document).containsOnlyKeys("floor", "own_sql", "muster", "peers", "ratios", "spread", "settings");
        assertThat(names(document, "floor")).contains("process", "enqueue", "enqueue_single", "sustained");
        assertThat(names(document, "peers")).containsExactlyInAnyOrder("db_scheduler", "dbos", "jobrunr", "quartz");
        assertThat(names(document, "muster"))
                .contains(
                        "workflow_runs",
                        "workflow_runs_64_threads",
                        "workflow_jobs",
                        "limits_fair_groups",
                        "traces_absent_process",
                        "traces_sampled_out_enqueue",
                        "traces_written_enqueue_single",
                        "executors_alone",
                        "executors_slow",
                        "executors_idle_statements",
                        "gateway_requests",
                        "javalin_requests",
                        "latency_p50",
                        "latency_in_transaction_p99",
                        "latency_half_load_p99",
                        "horizon_pinned",
                        "backlog_claim_2k",
                        "nodes_2",
                        "nodes_2_unfairness",
                        "nodes_sleep_1",
                        "idle_statements",
                        "memory_rate",
                        "startup");
        assertThat(names(document, "ratios"))
                .contains(
                        "process_vs_floor",
                        "process_vs_own_sql",
                        "process_vs_db_scheduler",
                        "process_vs_jobrunr",
                        "process_vs_quartz",
                        "enqueue_vs_floor",
                        "enqueue_single_vs_db_scheduler",
                        "sustained_vs_process",
                        "workflow_runs_vs_jobs",
                        "workflow_runs_64_threads_vs_jobs",
                        "workflow_runs_vs_dbos",
                        "traces_sampled_out_process_vs_absent",
                        "traces_written_enqueue_vs_absent",
                        "executors_beside_slow_vs_alone",
                        "gateway_vs_javalin",
                        "horizon_pinned_vs_unpinned",
                        "horizon_half_load_pinned_vs_unpinned",
                        "backlog_2k_vs_1k");
        assertThat(document.get("peers")).asString().contains("horizon_pinned_vs_unpinned");
        assertThat(new Report(results, Map.of()).table()).contains("process_vs_own_sql", "startup, ms");

        assertThat(new Charts(results, PLAN).draw(charts)).hasSize(9).allSatisfy(BenchIT::isPicture);
    }

    private static Results measure(ScenarioName... names) throws Exception {
        try (Peers peers = new Peers(List.of())) {
            List<Contender> contenders =
                    new ArrayList<>(List.of(new FloorContender(), new OwnSqlContender(), new MusterContender()));
            contenders.addAll(peers.contenders());
            List<Scenario> scenarios =
                    Arrays.stream(names).map(name -> name.scenario(PLAN)).toList();

            Results results = new Runner(new Stage(EmbeddedPostgres.shared(), PLAN, Progress.silent()))
                    .run(scenarios, contenders);

            assertThat(results.failures()).isEmpty();
            return results;
        }
    }

    private static Set<Object> names(Map<String, Object> document, String part) {
        return Set.copyOf(((Map<?, ?>) document.get(part)).keySet());
    }

    private static void isPicture(Path file) throws Exception {
        assertThat(DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(file.toFile())
                        .getDocumentElement()
                        .getTagName())
                .isEqualTo("svg");
    }
}
