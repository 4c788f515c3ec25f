package dev.muster.cli.workflows;

import dev.muster.cli.console.Json;
import dev.muster.job.JobId;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.StepInfo;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Runs of workflows as JSON; scripts rely on the names. */
final class RunJson {
    private RunJson() {}

    static ArrayNode of(List<RunInfo> runs) {
        ArrayNode list = Json.array();
        runs.forEach(run -> list.add(of(run)));
        return list;
    }

    static ObjectNode of(RunInfo run) {
        ObjectNode node = Json.object()
                .put("id", run.id().toString())
                .put("workflow_name", run.workflow())
                .put("workflow_version", run.version())
                .put("status", run.status().text())
                .put("resolution_reason", run.reason().orElse(null));
        node.set("input", Json.embed(Optional.of(run.input())));
        node.set("result", Json.embed(run.result()));
        node.put("error", run.error().orElse(null))
                .put("key", run.key().orElse(null))
                .put("parent", run.parent().map(JobId::toString).orElse(null))
                .put("continued_as", run.continuedAs().map(JobId::toString).orElse(null));
        run.awaiting().forEach(node.putArray("awaiting")::add);
        return node.put("wake_at", Json.time(run.wakeAt()))
                .put("cancel_requested", run.cancelRequested())
                .put("node", run.node().orElse(null))
                .put("created_at", Json.time(Optional.of(run.createdAt())))
                .put("changed_at", Json.time(Optional.of(run.changedAt())))
                .put("finished_at", Json.time(run.finishedAt()));
    }

    /** A run with its steps and why it waits. */
    static ObjectNode details(RunInfo run, Optional<String> waitingReason, List<StepInfo> steps) {
        ObjectNode node = of(run).put("waiting_reason", waitingReason.orElse(null));
        ArrayNode list = node.putArray("steps");
        for (StepInfo step : steps) {
            ObjectNode one = list.addObject()
                    .put("path", step.path())
                    .put("name", step.name())
                    .put("kind", step.kind())
                    .put("status", step.status())
                    .put("attempts", step.attempt())
                    .put("node", step.node().orElse(null));
            one.set("result", Json.embed(step.result()));
            one.put("error", step.error().orElse(null))
                    .put("compensation", step.compensation().orElse(null))
                    .put("due_at", Json.time(step.dueAt()))
                    .put("stored_at", Json.time(Optional.of(step.storedAt())));
        }
        return node;
    }
}
