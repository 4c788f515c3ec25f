package dev.muster.internal.graph;

import dev.muster.graph.GraphRequest;
import dev.muster.graph.TaskRequest;
import dev.muster.internal.graph.GraphChecker.CheckedTask;
import dev.muster.internal.runtime.Jsonb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What somebody asks for with a graph, as one text: two requests for the same have the same one. Its key and its id do not belong to it, nor what
 * the handlers say about their tasks, which may change between two requests.
 */
final class GraphContent {
    private GraphContent() {}

    static String of(GraphRequest request, List<CheckedTask> tasks) {
        Map<String, @Nullable Object> graph = new HashMap<>();
        graph.put("name", request.name());
        graph.put("tasks", tasks.stream().map(GraphContent::task).toList());
        return Jsonb.write(graph);
    }

    private static Map<String, @Nullable Object> task(CheckedTask checked) {
        TaskRequest task = checked.request();
        Map<String, @Nullable Object> content = new HashMap<>();
        content.put("id", task.id());
        content.put("name", task.name());
        content.put("inputs", Jsonb.read(checked.inputs().text()));
        List<List<Object>> parents = new ArrayList<>();
        task.dependsOn().forEach(parent -> parents.add(List.of(parent.id(), parent.required())));
        content.put("depends_on", parents);
        content.put("trigger", task.trigger().text());
        content.put("priority", task.priority() == null ? null : task.priority().level());
        content.put("queue", task.queue());
        content.put("capability", task.capability());
        content.put("placement", task.placement().text());
        content.put("max_attempts", task.maxAttempts());
        Duration timeout = task.timeout();
        content.put("timeout_ms", timeout == null ? null : timeout.toMillis());
        return content;
    }
}
