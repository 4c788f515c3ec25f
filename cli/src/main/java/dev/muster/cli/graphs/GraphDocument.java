package dev.muster.cli.graphs;

import dev.muster.cli.console.Json;
import dev.muster.config.DurationText;
import dev.muster.graph.GraphInfo;
import dev.muster.graph.GraphTree;
import dev.muster.graph.TaskInfo;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Graphs as JSON; scripts rely on the names. */
final class GraphDocument {
    private GraphDocument() {}

    static ArrayNode of(List<GraphInfo> graphs) {
        ArrayNode list = Json.array();
        graphs.forEach(graph -> list.add(of(graph)));
        return list;
    }

    private static ObjectNode of(GraphInfo graph) {
        return Json.object()
                .put("id", graph.id().toString())
                .put("name", graph.name().orElse(null))
                .put("key", graph.key().orElse(null))
                .put("status", graph.status().text())
                .put("reason", graph.reason().orElse(null))
                .put("task_count", graph.tasks())
                .put("ended_count", graph.ended())
                .put("progress", graph.progress())
                .put("cancel_requested", graph.cancelRequested())
                .put("created_at", Json.time(Optional.of(graph.createdAt())))
                .put("finished_at", Json.time(graph.finishedAt()));
    }

    /**
     * A graph with its tasks.
     *
     * @param reasons why tasks do not go on, by their ids
     */
    static ObjectNode details(GraphTree tree, Map<String, String> reasons) {
        ObjectNode node = of(tree.graph());
        ObjectNode counts = node.putObject("counts");
        tree.counts().forEach((status, count) -> counts.put(status.text(), count));
        ArrayNode tasks = node.putArray("tasks");
        tree.tasks().forEach(task -> tasks.add(task(task, reasons.get(task.id()))));
        return node;
    }

    private static ObjectNode task(TaskInfo task, @Nullable String waitingReason) {
        ObjectNode node = Json.object()
                .put("id", task.id())
                .put("name", task.name())
                .put("status", task.status().text())
                .put("job_id", task.job().toString())
                .put("trigger", task.trigger().text());
        ArrayNode parents = node.putArray("depends_on");
        task.dependsOn()
                .forEach(parent -> parents.addObject().put("id", parent.id()).put("required", parent.required()));
        node.put("queue", task.queue())
                .put("capability", task.capability())
                .put("priority", task.priority().name().toLowerCase(Locale.ROOT))
                .put("max_attempts", task.maxAttempts().orElse(null))
                .put("timeout", task.timeout().map(DurationText::format).orElse(null));
        node.set("inputs", Json.embed(Optional.of(task.inputs())));
        node.set("result", Json.embed(task.result()));
        return node.put("error", task.error().orElse(null))
                .put("reason", task.reason().orElse(null))
                .put("waiting_reason", waitingReason)
                .put("attempt", task.attempt())
                .put("node", task.node().orElse(null))
                .put("started_at", Json.time(task.startedAt()))
                .put("finished_at", Json.time(task.finishedAt()));
    }
}
