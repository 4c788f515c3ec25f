package dev.muster.cli.jobs;

import dev.muster.cli.console.Json;
import dev.muster.job.BatchId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobStatus;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Jobs as JSON; scripts rely on the names. */
final class JobJson {
    private JobJson() {}

    static ArrayNode of(List<JobInfo> jobs) {
        ArrayNode list = Json.array();
        jobs.forEach(job -> list.add(of(job)));
        return list;
    }

    /** One job with all of its details. */
    static ObjectNode details(JobInfo job) {
        ObjectNode node = of(job);
        node.set("metadata", job.metadata().isEmpty() ? null : metadata(job));
        node.put(
                        "lifted_to",
                        job.liftedTo()
                                .map(to -> to.name().toLowerCase(Locale.ROOT))
                                .orElse(null))
                .put("waiting_reason", job.waitingReason().orElse(null))
                .put("earlier_error", job.earlierError().orElse(null))
                .put("expires_at", Json.time(job.expiresAt()))
                .put("timeout_ms", job.timeout().map(Duration::toMillis).orElse(null));
        ArrayNode dependencies = node.putArray("dependencies");
        job.dependencies()
                .forEach(dependency -> dependencies
                        .addObject()
                        .put("id", dependency.id().toString())
                        .put("status", dependency.status().map(JobStatus::text).orElse(null))
                        .put("any_outcome", dependency.anyOutcome()));
        return node;
    }

    static ObjectNode metadata(JobInfo job) {
        ObjectNode node = Json.object();
        job.metadata().forEach(node::put);
        return node;
    }

    static ObjectNode of(JobInfo job) {
        ObjectNode node = Json.object()
                .put("id", job.id().toString())
                .put("name", job.name())
                .put("status", job.status().text())
                .put("queue", job.queue())
                .put("capability", job.capability().orElse(null))
                .put("priority", job.priority().name().toLowerCase(Locale.ROOT))
                .put("attempt", job.attempt())
                .put("max_attempts", job.maxAttempts())
                .put("crashes", job.crashes())
                .put("node", job.node().orElse(null));
        node.set("args", Json.embed(Optional.of(job.args())));
        node.set("result", Json.embed(job.result()));
        node.put("error", job.error().orElse(null))
                .put("key", job.key().orElse(null))
                .put("batch", job.batch().map(BatchId::toString).orElse(null));
        job.tags().forEach(node.putArray("tags")::add);
        job.progress()
                .ifPresentOrElse(
                        progress -> node.putObject("progress")
                                .put("percent", progress.percent())
                                .put("message", progress.message().orElse(null)),
                        () -> node.putNull("progress"));
        return node.put("run_at", Json.time(Optional.of(job.runAt())))
                .put("created_at", Json.time(Optional.of(job.createdAt())))
                .put("started_at", Json.time(job.startedAt()))
                .put("finished_at", Json.time(job.finishedAt()));
    }
}
