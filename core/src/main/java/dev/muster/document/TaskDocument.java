package dev.muster.document;

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

    /** @param waitingReason why it does not go on; null if nothing holds it up */
    public static Map<String, @Nullable Object> write(TaskInfo task, @Nullable String waitingReason) {
        return new Members()
                .put("id", task.id())
                .put("name", task.name())
                .put("status", task.status().text())
                .put("job_id", task.job().toString())
                .put("trigger", task.trigger().text())
                .put("depends_on", Members.list(task.dependsOn(), TaskDocument::dependency))
                .put("queue", task.queue())
                .put("capability", task.capability())
                .put("priority", JobDocument.text(task.priority()))
                .put("max_attempts", task.maxAttempts())
                .put("timeout", Members.duration(task.timeout()))
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
        return new Members()
                .put("id", parent.id())
                .put("required", parent.required())
                .done();
    }

    public static TaskInfo read(Fields fields) {
        return new TaskInfo(
                fields.text("id"),
                fields.text("name"),
                fields.parsed("status", TaskStatus::stored),
                fields.parsed("job_id", JobId::of),
                fields.parsed("trigger", Trigger::stored),
                fields.list("depends_on").stream()
                        .map(parent -> new Dependency(parent.text("id"), parent.flag("required")))
                        .toList(),
                fields.text("queue"),
                fields.text("capability"),
                fields.parsed("priority", Priority::parse),
                fields.optionalInteger("max_attempts"),
                fields.optionalDuration("timeout"),
                fields.rawEvenIfNull("inputs").orElseThrow(() -> fields.refusal("inputs", "is missing")),
                fields.integer("attempt"),
                fields.optionalText("node"),
                fields.optionalRaw("result"),
                fields.optionalText("error"),
                fields.optionalText("reason"),
                fields.optionalInstant("started_at"),
                fields.optionalInstant("finished_at"));
    }
}
