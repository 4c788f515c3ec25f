package dev.muster.cli.metrics;

import dev.muster.cli.console.Json;
import dev.muster.upkeep.JobMetrics;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Metrics as JSON; scripts rely on the names. */
final class MetricsJson {
    private MetricsJson() {}

    static ObjectNode of(JobMetrics figures) {
        ObjectNode document = Json.object()
                .put("from", Json.time(Optional.of(figures.from())))
                .put("to", Json.time(Optional.of(figures.to())));
        ArrayNode queues = document.putArray("queues");
        ArrayNode jobs = document.putArray("jobs");
        double minutes = MetricsText.minutes(figures);
        for (JobMetrics.Row row : figures.of()) {
            ObjectNode entry =
                    (row.name().isPresent() ? jobs : queues).addObject().put("queue", row.queue());
            row.name().ifPresent(name -> entry.put("name", name));
            entry.put("completed", row.completed())
                    .put("failed", row.failed())
                    .put("cancelled", row.cancelled())
                    .put("expired", row.expired())
                    .put("per_minute", row.ended() / minutes);
            put(entry, "run", row.ran());
            put(entry, "wait", row.waited());
            entry.put("depth", row.depth());
        }
        return document;
    }

    private static void put(ObjectNode entry, String what, Optional<JobMetrics.Percentiles> times) {
        entry.put(what + "_p50_ms", times.map(JobMetrics.Percentiles::p50).orElse(null))
                .put(what + "_p95_ms", times.map(JobMetrics.Percentiles::p95).orElse(null))
                .put(
                        what + "_p95_worst_minute_ms",
                        times.map(JobMetrics.Percentiles::worst).orElse(null));
    }
}
