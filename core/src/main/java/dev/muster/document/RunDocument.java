package dev.muster.document;

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
        return put(new Members(), run).done();
    }

    /** A run with its steps and why it waits. */
    public static Map<String, @Nullable Object> write(
            RunInfo run, Optional<String> waitingReason, List<StepInfo> steps) {
        return put(new Members(), run)
                .put("waiting_reason", waitingReason)
                .put("steps", Members.list(steps, StepDocument::write))
                .done();
    }

    private static Members put(Members members, RunInfo run) {
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

    public static RunInfo read(Fields fields) {
        return new RunInfo(
                fields.parsed("id", JobId::of),
                fields.text("workflow_name"),
                fields.text("workflow_version"),
                fields.choice("status", RunStatus.values(), RunStatus::text),
                fields.optionalText("resolution_reason"),
                fields.rawEvenIfNull("input").orElseThrow(() -> fields.refusal("input", "is missing")),
                fields.optionalRaw("result"),
                fields.optionalText("error"),
                fields.optionalText("key"),
                fields.optionalParsed("parent", JobId::of),
                fields.optionalParsed("continued_as", JobId::of),
                fields.texts("awaiting"),
                fields.optionalInstant("wake_at"),
                fields.flag("cancel_requested"),
                fields.optionalText("node"),
                fields.instant("created_at"),
                fields.instant("changed_at"),
                fields.optionalInstant("finished_at"));
    }
}
