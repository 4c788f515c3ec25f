package dev.muster.document.internal;

import dev.muster.graph.GraphId;
import dev.muster.graph.GraphRequest;
import dev.muster.graph.TaskRequest;
import dev.muster.job.Placement;
import dev.muster.runtime.JsonCodec;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Requests for graphs, in the form that {@link GraphRequest#fromJson} reads.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class GraphRequestDocument {
    private GraphRequestDocument() {}

    /**
     * What is not set is left out.
     *
     * @param json writes the inputs of tasks, unless they are raw
     */
    public static Map<String, @Nullable Object> write(GraphRequest request, JsonCodec json) {
        return new JsonObjectWriter()
                .putIfPresent("name", Optional.ofNullable(request.name()))
                .putIfPresent("key", Optional.ofNullable(request.key()))
                .putIfPresent("id", Optional.ofNullable(request.id()).map(GraphId::toString))
                .put("tasks", JsonObjectWriter.list(request.tasks(), task -> task(task, json)))
                .done();
    }

    private static Map<String, @Nullable Object> task(TaskRequest task, JsonCodec json) {
        return new JsonObjectWriter()
                .put("id", task.id())
                .put("name", task.name())
                .putIfPresent(
                        "inputs",
                        Optional.ofNullable(task.inputs()).map(inputs -> JobRequestDocument.raw(inputs, json)))
                .put("depends_on", JsonObjectWriter.list(task.dependsOn(), TaskDocument::dependency))
                .put("trigger", task.trigger().text())
                .putIfPresent("priority", Optional.ofNullable(task.priority()).map(JobDocument::text))
                .putIfPresent("queue", Optional.ofNullable(task.queue()))
                .putIfPresent("capability", Optional.ofNullable(task.capability()))
                .putIfPresent(
                        "placement",
                        Optional.of(task.placement())
                                .filter(placement -> !placement.equals(Placement.ANYWHERE))
                                .map(GraphRequestDocument::placement))
                .putIfPresent("max_attempts", Optional.ofNullable(task.maxAttempts()))
                .putIfPresent("timeout", JsonObjectWriter.duration(Optional.ofNullable(task.timeout())))
                .done();
    }

    private static Map<String, @Nullable Object> placement(Placement placement) {
        return new JsonObjectWriter()
                .put("require", texts(placement.required()))
                .put("forbid", texts(placement.forbidden()))
                .put("nodes", texts(placement.nodes()))
                .put("not_nodes", texts(placement.notNodes()))
                .done();
    }

    private static Object texts(Collection<String> texts) {
        return JsonObjectWriter.list(texts, text -> text);
    }
}
