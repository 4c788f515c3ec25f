package dev.muster.cli.internal.graphs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.cli.Cli;
import dev.muster.cli.OnTestDatabase;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.config.MusterConfig;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class GraphsIT extends OnTestDatabase {
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final String ETL = """
            {"name": "etl", "tasks": [
              {"id": "extract", "name": "extract", "inputs": {"table": "orders"}},
              {"id": "transform", "name": "transform", "inputs": {"rows": {"from": "extract", "path": "/rows"}},
               "depends_on": ["extract"], "capability": "gpu"},
              {"id": "report", "name": "report", "depends_on": ["transform"]},
              {"id": "alarm", "name": "report", "depends_on": ["transform"], "trigger": "any_failed"}
            ]}
            """;

    /** Jobs that say where they ran. */
    public static final class Warehouse {
        final AtomicBoolean broken = new AtomicBoolean();

        @Job("extract")
        Map<String, Object> extract(JobContext context, Map<String, String> source) {
            return Map.of("rows", List.of(1, 2, 3), "node", context.nodeId());
        }

        @Job(value = "transform", maxAttempts = 1)
        Map<String, Object> transform(JobContext context, Map<String, List<Integer>> input) {
            if (broken.get()) {
                throw new IllegalStateException("no memory");
            }
            return Map.of("sum", input.get("rows").stream().mapToInt(row -> row).sum(), "node", context.nodeId());
        }

        @Job("report")
        void report() {}
    }

    @TempDir
    private Path folder;

    private final Warehouse warehouse = new Warehouse();
    private final List<Muster> nodes = new ArrayList<>();

    @AfterEach
    void stop() {
        nodes.forEach(Muster::close);
    }

    private void node(String id, String capabilities) {
        MusterConfig config = MusterConfig.defaults().with("node.id", id);
        Muster node = Muster.builder()
                .config(capabilities.isEmpty() ? config : config.with("node.capabilities", capabilities))
                .database(database.url())
                .register(warehouse)
                .build();
        node.start();
        nodes.add(node);
    }

    private String file(String json) throws IOException {
        return Files.writeString(folder.resolve("graph.json"), json).toString();
    }

    private Cli.Result graphs(String... args) {
        List<String> all = new ArrayList<>(List.of("graphs"));
        all.addAll(List.of(args));
        return Cli.on(database, all.toArray(String[]::new));
    }

    private JsonNode json(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("-o", "json"));
        return graphs(all.toArray(String[]::new)).done().json();
    }

    private static JsonNode task(JsonNode graph, String id) {
        for (JsonNode task : graph.get("tasks")) {
            if (task.get("id").asString().equals(id)) {
                return task;
            }
        }
        throw new AssertionError("no task " + id + " in " + graph);
    }

    private static String text(JsonNode node, String property) {
        return node.get(property).asString();
    }

    @Test
    void extractRunsOnOneNodeAndTransformWhereItsCapabilityAllows() throws IOException {
        node("plain", "");
        node("gpu-1", "gpu");

        JsonNode graph = json("submit", file(ETL), "--wait");

        assertThat(text(graph, "status")).isEqualTo("completed");
        assertThat(graph.get("created").asBoolean()).isTrue();
        assertThat(graph.get("progress").asInt()).isEqualTo(100);
        JsonNode transform = task(graph, "transform");
        assertThat(text(transform.get("result"), "node")).isEqualTo("gpu-1");
        assertThat(transform.get("result").get("sum").asInt()).isEqualTo(6);
        assertThat(text(transform, "node")).isEqualTo("gpu-1");
        assertThat(text(task(graph, "alarm"), "status")).isEqualTo("skipped");
        assertThat(text(task(graph, "alarm"), "reason")).isEqualTo("none of its required parents failed");
    }

    @Test
    void theReferencesExampleIsTakenAsItIs() throws IOException {
        node("plain", "");

        JsonNode graph = json(
                "submit",
                file(
                        "{\"jsonrpc\": \"2.0\", \"method\": \"tasks.execute\", \"params\": {\"tasks\": ["
                                + "{\"id\": \"task-1\", \"name\": \"extract\", \"inputs\": {\"key\": \"value\"}}]}, \"id\": \"1\"}"),
                "--wait");

        assertThat(text(graph, "status")).isEqualTo("completed");
    }

    @Test
    void aTaskWithAnUnmetDependencyNeverStarts() throws IOException {
        node("plain", "");

        String id = text(json("submit", file(ETL)), "id");
        await().atMost(SOON)
                .until(() -> text(task(json("show", id), "extract"), "status").equals("completed"));

        JsonNode graph = json("show", id);
        assertThat(text(graph, "status")).isEqualTo("running");
        assertThat(text(task(graph, "transform"), "status")).isEqualTo("pending");
        assertThat(text(task(graph, "transform"), "waiting_reason")).contains("gpu");
        assertThat(text(task(graph, "report"), "status")).isEqualTo("waiting");
        assertThat(text(task(graph, "report"), "waiting_reason")).isEqualTo("waits for transform (pending)");
        assertThat(graphs("show", id).done().out())
                .contains("✓ extract  completed")
                .contains("└─ ○ transform  pending: ")
                .contains("   ├─ · report  waiting: waits for transform (pending)")
                .contains("   └─ · alarm [report]  waiting  (any_failed)");
    }

    @Test
    void aFailedGraphIsShownAndRetried() throws IOException {
        warehouse.broken.set(true);
        node("gpu-1", "gpu");

        Cli.Result failed = graphs("submit", file(ETL), "--wait");
        assertThat(failed.exit()).isEqualTo(ExitCode.FAILED);
        assertThat(failed.err()).contains("muster: report skipped: parent transform failed");
        assertThat(failed.out())
                .contains("✗ transform  failed")
                .contains("no memory")
                .contains("– report  skipped: parent transform failed")
                .contains("✓ alarm [report]  completed");
        String id = text(json("list", "--status", "failed", "--name", "etl").get(0), "id");
        warehouse.broken.set(false);

        assertThat(graphs("retry", id, "transform").done().out()).contains("continues: graph " + id);
        assertThat(text(json("show", id, "--wait"), "status")).isEqualTo("completed");
        graphs("retry", id).failed(ExitCode.FAILED, "no task of graph", "has failed");
        graphs("retry", id, "transform").failed(ExitCode.FAILED, "is completed; only a failed or cancelled one");
        graphs("retry", id, "transfrom").failed(ExitCode.FAILED, "has no task 'transfrom'; did you mean 'transform'?");
    }

    @Test
    void graphsAreCancelled() throws IOException {
        String id = text(json("submit", file(ETL), "--key", "today"), "id");
        JsonNode again = json("submit", file(ETL), "--key", "today");
        assertThat(text(again, "id")).isEqualTo(id);
        assertThat(again.get("created").asBoolean()).isFalse();

        assertThat(graphs("cancel", id, "transform", "--reason", "not today")
                        .done()
                        .out())
                .contains("cancelled: task transform of graph " + id);
        assertThat(text(task(json("show", id), "report"), "reason")).isEqualTo("not today");
        assertThat(text(json("show", id), "status")).isEqualTo("running");
        graphs("cancel", id).done();
        assertThat(text(json("show", id), "status")).isEqualTo("cancelled");
        graphs("cancel", id).failed(ExitCode.FAILED, "has ended");
        graphs("retry", id, "report")
                .failed(
                        ExitCode.FAILED,
                        "task report was skipped again: parent transform was cancelled; retry that one");
        assertThat(graphs("show", id, "--wait").exit()).isEqualTo(ExitCode.FAILED);
        assertThat(graphs("list").done().out()).contains(id, "cancelled", "etl");
    }

    @Test
    void whatIsWrongIsRefusedAndTheRefusalSaysWhere() throws IOException {
        graphs("submit", file(ETL.replace("[\"extract\"]", "[\"exract\"]")))
                .failed(ExitCode.USAGE, "tasks[1].depends_on[0]: 'exract' is no task; did you mean 'extract'?");
        graphs("submit", "nosuch.json").failed(ExitCode.USAGE, "FILE nosuch.json: there is no such file");
        graphs("submit", file("{\"jsonrpc\": \"2.0\", \"method\": \"tasks.delete\", \"params\": " + ETL + "}"))
                .failed(
                        ExitCode.USAGE,
                        "method: must be \"tasks.execute\", which submits a graph, not \"tasks.delete\"");
        graphs("show", "0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b11").failed(ExitCode.FAILED, "there is no graph");
    }
}
