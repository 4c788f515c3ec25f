package dev.muster.document.internal;

import dev.muster.graph.GraphId;
import dev.muster.graph.GraphInfo;
import dev.muster.graph.GraphStatus;
import dev.muster.graph.GraphTree;
import dev.muster.graph.TaskStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Graphs of tasks.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class GraphDocument {
    private GraphDocument() {}

    public static Map<String, @Nullable Object> write(GraphInfo graph) {
        return put(new JsonObjectWriter(), graph).done();
    }

    /**
     * A graph with its tasks.
     *
     * @param reasons why tasks are waiting, by their ids
     */
    public static Map<String, @Nullable Object> write(GraphTree tree, Map<String, String> reasons) {
        return put(new JsonObjectWriter(), tree.graph())
                .put("counts", write(tree.counts()))
                .put(
                        "tasks",
                        JsonObjectWriter.list(tree.tasks(), task -> TaskDocument.write(task, reasons.get(task.id()))))
                .done();
    }

    /** A graph without its tasks, and how many there are of them in each status. */
    public static Map<String, @Nullable Object> writeCounted(GraphInfo graph, Map<TaskStatus, Long> counts) {
        return put(new JsonObjectWriter(), graph).put("counts", write(counts)).done();
    }

    private static Map<String, @Nullable Object> write(Map<TaskStatus, Long> counts) {
        Map<String, @Nullable Object> texts = new LinkedHashMap<>();
        counts.forEach((status, count) -> texts.put(status.text(), count));
        return texts;
    }

    private static JsonObjectWriter put(JsonObjectWriter members, GraphInfo graph) {
        return members.put("id", graph.id().toString())
                .put("name", graph.name())
                .put("key", graph.key())
                .put("status", graph.status().text())
                .put("reason", graph.reason())
                .put("task_count", graph.tasks())
                .put("ended_count", graph.ended())
                .put("progress", graph.progress())
                .put("cancel_requested", graph.cancelRequested())
                .put("created_at", graph.createdAt())
                .put("finished_at", graph.finishedAt());
    }

    public static GraphInfo read(JsonObjectReader fields) {
        return GraphInfo.builder(
                        fields.parsed("id", GraphId::of),
                        fields.parsed("status", GraphStatus::stored),
                        fields.integer("task_count"),
                        fields.integer("ended_count"),
                        fields.instant("created_at"))
                .name(fields.optionalText("name"))
                .key(fields.optionalText("key"))
                .cancelRequested(fields.flag("cancel_requested"))
                .reason(fields.optionalText("reason"))
                .finishedAt(fields.optionalInstant("finished_at"))
                .build();
    }

    public static GraphTree readTree(JsonObjectReader fields) {
        return new GraphTree(
                read(fields),
                fields.list("tasks").stream().map(TaskDocument::read).toList());
    }
}
