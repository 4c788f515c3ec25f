package dev.muster.document.internal;

import dev.muster.job.JobId;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.StepInfo;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs of workflows.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class RunDocument {
    private RunDocument() {}

    public static Map<String, @Nullable Object> write(RunInfo run) {
        return put(new JsonObjectWriter(), run).done();
    }

    /** A run with its steps and why it waits. */
    public static Map<String, @Nullable Object> write(
            RunInfo run, Optional<String> waitingReason, List<StepInfo> steps) {
        return put(new JsonObjectWriter(), run)
                .put("waiting_reason", waitingReason)
                .put("steps", JsonObjectWriter.list(steps, StepDocument::write))
                .done();
    }

    private static JsonObjectWriter put(JsonObjectWriter members, RunInfo run) {
        return members.put("id", run.id().toString())
                .put("workflow_name", run.workflow())
                .put("workflow_version", run.version())
                .put("status", run.status().text())
                .put("resolution_reason", run.reason())
                .raw("input", Optional.of(run.input()))
                .raw("result", run.result())
                .put("error", run.error())
                .put("key", run.key())
                .text("parent", run.parent())
                .text("continued_as", run.continuedAs())
                .put("awaiting", run.awaiting())
                .put("wake_at", run.wakeAt())
                .put("cancel_requested", run.cancelRequested())
                .put("node", run.node())
                .put("created_at", run.createdAt())
                .put("changed_at", run.changedAt())
                .put("finished_at", run.finishedAt());
    }

    public static RunInfo read(JsonObjectReader fields) {
        return RunInfo.builder(
                        fields.parsed("id", JobId::of),
                        fields.text("workflow_name"),
                        fields.text("workflow_version"),
                        fields.parsed("status", RunStatus::stored),
                        fields.rawEvenIfNull("input").orElseThrow(() -> fields.refusal("input", "is missing")),
                        fields.instant("created_at"),
                        fields.instant("changed_at"))
                .reason(fields.optionalText("resolution_reason"))
                .result(fields.optionalRaw("result"))
                .error(fields.optionalText("error"))
                .key(fields.optionalText("key"))
                .parent(fields.optionalParsed("parent", JobId::of))
                .continuedAs(fields.optionalParsed("continued_as", JobId::of))
                .awaiting(fields.texts("awaiting"))
                .wakeAt(fields.optionalInstant("wake_at"))
                .cancelRequested(fields.flag("cancel_requested"))
                .node(fields.optionalText("node"))
                .finishedAt(fields.optionalInstant("finished_at"))
                .build();
    }
}
