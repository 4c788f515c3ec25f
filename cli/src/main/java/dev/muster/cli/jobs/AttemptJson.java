package dev.muster.cli.jobs;

import dev.muster.cli.console.Json;
import dev.muster.job.JobAttempt;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The attempts of a job as JSON; scripts rely on the names. */
final class AttemptJson {
    private AttemptJson() {}

    /** Adds the attempts to the document of their job, and returns it. */
    static ObjectNode add(ObjectNode job, List<JobAttempt> attempts) {
        ArrayNode list = job.putArray("attempts");
        for (JobAttempt attempt : attempts) {
            list.addObject()
                    .put("attempt", attempt.attempt())
                    .put("node", attempt.node().orElse(null))
                    .put("started_at", Json.time(attempt.startedAt()))
                    .put("ended_at", Json.time(Optional.of(attempt.endedAt())))
                    .put("outcome", attempt.outcome().text())
                    .put("error", attempt.error().orElse(null));
        }
        return job;
    }
}
