package dev.muster.document.internal;

import dev.muster.graph.TaskInfo;
import dev.muster.graph.TaskRequest.Dependency;
import dev.muster.graph.TaskStatus;
import dev.muster.graph.Trigger;
import dev.muster.job.JobId;
import dev.muster.job.Priority;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tasks of graphs.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class TaskDocument {
    private TaskDocument() {}

    /** @param waitingReason why it is waiting; null if nothing holds it up */
    public static Map<String, @Nullable Object> write(TaskInfo task, @Nullable String waitingReason) {
        return new JsonObjectWriter()
                .put("id", task.id())
                .put("name", task.name())
                .put("status", task.status().text())
                .put("job_id", task.job().toString())
                .put("trigger", task.trigger().text())
                .put("depends_on", JsonObjectWriter.list(task.dependsOn(), TaskDocument::dependency))
                .put("queue", task.queue())
                .put("capability", task.capability())
                .put("priority", JobDocument.text(task.priority()))
                .put("max_attempts", task.maxAttempts())
                .put("timeout", JsonObjectWriter.duration(task.timeout()))
                .raw("inputs", Optional.of(task.inputs()))
                .raw("result", task.result())
                .put("error", task.error())
                .put("reason", task.reason())
                .put("waiting_reason", waitingReason)
                .put("attempt", task.attempt())
                .put("node", task.node())
                .put("started_at", task.startedAt())
                .put("finished_at", task.finishedAt())
                .done();
    }

    static Map<String, @Nullable Object> dependency(Dependency parent) {
        return new JsonObjectWriter()
                .put("id", parent.id())
                .put("required", parent.required())
                .done();
    }

    public static TaskInfo read(JsonObjectReader fields) {
        return TaskInfo.builder(
                        fields.text("id"),
                        fields.text("name"),
                        fields.parsed("status", TaskStatus::stored),
                        fields.parsed("job_id", JobId::of),
                        fields.parsed("trigger", Trigger::stored),
                        fields.text("queue"),
                        fields.text("capability"),
                        fields.parsed("priority", Priority::parse),
                        fields.rawEvenIfNull("inputs").orElseThrow(() -> fields.refusal("inputs", "is missing")))
                .dependsOn(fields.list("depends_on").stream()
                        .map(parent -> new Dependency(parent.text("id"), parent.flag("required")))
                        .toList())
                .maxAttempts(fields.optionalInteger("max_attempts"))
                .timeout(fields.optionalDuration("timeout"))
                .attempt(fields.integer("attempt"))
                .node(fields.optionalText("node"))
                .result(fields.optionalRaw("result"))
                .error(fields.optionalText("error"))
                .reason(fields.optionalText("reason"))
                .startedAt(fields.optionalInstant("started_at"))
                .finishedAt(fields.optionalInstant("finished_at"))
                .build();
    }
}
