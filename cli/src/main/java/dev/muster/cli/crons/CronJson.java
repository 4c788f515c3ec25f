package dev.muster.cli.crons;

import dev.muster.cli.console.Json;
import dev.muster.job.JobId;
import dev.muster.schedule.CronDefinition;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.Misfire;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Crons as JSON; scripts rely on the names. */
final class CronJson {
    private CronJson() {}

    static ArrayNode of(List<CronInfo> crons, Previews previews) {
        ArrayNode list = Json.array();
        crons.forEach(cron -> list.add(of(cron, previews)));
        return list;
    }

    static ObjectNode of(CronInfo cron, Previews previews) {
        CronDefinition definition = cron.definition();
        ObjectNode document = Json.object()
                .put("name", cron.name())
                .put("expression", definition.expression())
                .put("zone", definition.zone())
                .put("job", definition.job())
                .put("source", cron.source().text())
                .put("misfire", definition.misfire().text())
                .put("catch_up_limit", definition.misfire() == Misfire.CATCH_UP ? definition.catchUpLimit() : null)
                .put("overlap", definition.overlap().text())
                .put("jitter_ms", definition.jitter().toMillis())
                .put("paused", cron.pausedAt().isPresent())
                .put("paused_at", Json.time(cron.pausedAt()))
                .put("gone_at", Json.time(cron.goneAt()));
        ArrayNode ticks = document.putArray("next_ticks");
        previews.of(cron).forEach(tick -> ticks.add(Json.time(Optional.of(tick))));
        return document.put("last_tick", Json.time(cron.lastTick()))
                .put("last_job", cron.lastJob().map(JobId::toString).orElse(null))
                .put("problem", cron.problem().orElse(null));
    }
}
