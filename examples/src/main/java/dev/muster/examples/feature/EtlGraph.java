package dev.muster.examples.feature;

import static dev.muster.graph.TaskRequest.from;

import dev.muster.Muster;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphRequest;
import dev.muster.graph.GraphTree;
import dev.muster.graph.Graphs;
import dev.muster.graph.TaskInfo;
import dev.muster.graph.TaskRequest;
import dev.muster.graph.Trigger;
import dev.muster.job.Job;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/**
 * A graph extracts, transforms and loads a table; if the load fails, a task with the trigger any_failed raises an alarm.
 *
 * <pre>
 * COMPLETED
 *   extract: completed {"rows": [1, 2, 3]}
 *   transform: completed {"rows": [10, 20, 30]}
 *   load: completed 60
 *   report: completed "loaded 60"
 *   alarm: skipped, none of its required parents failed
 * FAILED
 *   extract: completed {"rows": [1, 2, 3]}
 *   transform: completed {"rows": [-10, -20, -30]}
 *   load: failed
 *   report: skipped, parent load failed
 *   alarm: completed "somebody has to look at stock"
 * </pre>
 */
final class EtlGraph implements Example {
    record Table(String table) {}

    record Rows(List<Integer> rows) {}

    record Batch(List<Integer> rows, int factor) {}

    record Total(int total) {}

    @Job("extract")
    Rows extract(Table table) {
        return new Rows(List.of(1, 2, 3));
    }

    @Job("transform")
    Rows transform(Batch batch) {
        return new Rows(batch.rows().stream().map(row -> row * batch.factor()).toList());
    }

    @Job(value = "load", maxAttempts = 1)
    int load(Rows rows) {
        int total = rows.rows().stream().mapToInt(row -> row).sum();
        if (total < 0) {
            throw new IllegalStateException("a negative total");
        }
        return total;
    }

    @Job("report")
    String report(Total total) {
        return "loaded " + total.total();
    }

    @Job("alarm")
    String alarm(Table table) {
        return "somebody has to look at " + table.table();
    }

    private static GraphRequest etl(String table, int factor) {
        return GraphRequest.of(
                        TaskRequest.of("extract", "extract", Map.of("table", table)),
                        TaskRequest.of(
                                        "transform",
                                        "transform",
                                        Map.of("rows", from("extract", "/rows"), "factor", factor))
                                .dependsOn("extract"),
                        TaskRequest.of("load", "load", from("transform")).dependsOn("transform"),
                        TaskRequest.of("report", "report", Map.of("total", from("load")))
                                .dependsOn("load"),
                        TaskRequest.of("alarm", "alarm", Map.of("table", table))
                                .dependsOn("load")
                                .trigger(Trigger.ANY_FAILED))
                .name("etl")
                .key("etl-" + table); // a second submission with this key finds the first graph
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            print(muster.graphs(), etl("orders", 10), out);
            print(muster.graphs(), etl("stock", -10), out);
        }
    }

    private static void print(Graphs graphs, GraphRequest request, PrintStream out) {
        GraphId id = graphs.submit(request);
        out.println(graphs.await(id, Duration.ofSeconds(30)).status());
        GraphTree tree = graphs.tree(id).orElseThrow();
        for (TaskInfo task : tree.tasks()) {
            String result = task.result().map(json -> " " + json).orElse("");
            String reason = task.reason().map(why -> ", " + why).orElse("");
            out.println("  " + task.id() + ": " + task.status().text() + result + reason);
        }
    }
}
