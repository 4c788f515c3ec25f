package dev.muster.cli.batches;

import dev.muster.batch.BatchInfo;
import dev.muster.cli.console.Json;
import dev.muster.job.JobId;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Batches as JSON; scripts rely on the names. */
final class BatchJson {
    private BatchJson() {}

    static ArrayNode of(List<BatchInfo> batches) {
        ArrayNode list = Json.array();
        batches.forEach(batch -> list.add(of(batch)));
        return list;
    }

    static ObjectNode of(BatchInfo batch) {
        ObjectNode node = Json.object()
                .put("id", batch.id().toString())
                .put("name", batch.name())
                .put("status", batch.status().text())
                .put("condition", batch.condition())
                .put("success_rate", batch.successRate().orElse(null))
                .put("cancel_requested", batch.cancelRequested());
        batch.counts()
                .ifPresent(counts -> node.putObject("jobs")
                        .put("live", counts.live())
                        .put("completed", counts.completed())
                        .put("failed", counts.failed())
                        .put("cancelled", counts.cancelled())
                        .put("expired", counts.expired()));
        return node.put(
                        "completion_job",
                        batch.completionJob().map(JobId::toString).orElse(null))
                .put("deciding_job", batch.decidingJob().map(JobId::toString).orElse(null))
                .put("created_at", Json.time(Optional.of(batch.createdAt())))
                .put("sealed_at", Json.time(batch.sealedAt()))
                .put("closed_at", Json.time(batch.closedAt()));
    }
}
