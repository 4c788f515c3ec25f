package dev.muster.cli.queues;

import dev.muster.cli.console.Json;
import dev.muster.job.JobRate;
import dev.muster.job.JobStatus;
import dev.muster.job.QueueInfo;
import dev.muster.job.QueueLimit;
import java.util.Collection;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Queues as JSON; scripts rely on the names. */
public final class QueueJson {
    private QueueJson() {}

    static ArrayNode of(List<QueueInfo> queues) {
        ArrayNode list = Json.array();
        queues.forEach(queue -> list.add(of(queue)));
        return list;
    }

    /** Lists which of the counts are lower bounds. */
    public static void atLeast(ObjectNode document, Collection<JobStatus> statuses) {
        statuses.stream().sorted().map(JobStatus::text).forEach(document.putArray("at_least")::add);
    }

    static ObjectNode of(QueueInfo queue) {
        ObjectNode document = Json.object()
                .put("name", queue.name())
                .put("paused", queue.pausedAt().isPresent())
                .put("paused_at", Json.time(queue.pausedAt()))
                .put("waiting", queue.waiting())
                .put("pending", queue.pending())
                .put("claimed", queue.claimed())
                .put("running", queue.running())
                .put("oldest_due", Json.time(queue.oldestDue()));
        limit(document, queue.limit());
        atLeast(document, queue.atLeast());
        return document;
    }

    /** The limit as {@code max_running} and {@code rate}, which are null where there is none. */
    static ObjectNode limit(ObjectNode document, QueueLimit limit) {
        Integer max = limit.maxRunning().isPresent() ? limit.maxRunning().getAsInt() : null;
        document.put("max_running", max);
        document.put("rate", limit.rate().map(JobRate::toString).orElse(null));
        document.put("burst", limit.rate().map(JobRate::burst).orElse(null));
        return document;
    }
}
