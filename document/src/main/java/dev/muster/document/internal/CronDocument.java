package dev.muster.document.internal;

import dev.muster.job.JobId;
import dev.muster.schedule.CronDefinition;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.CronInfo.Source;
import dev.muster.schedule.Misfire;
import dev.muster.schedule.Overlap;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Crons.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class CronDocument {
    private CronDocument() {}

    private static final int USUAL_CATCH_UP_LIMIT = 10;

    public static Map<String, @Nullable Object> write(CronInfo cron) {
        return write(cron, cron.nextTick().map(List::of).orElse(List.of()));
    }

    /** @param nextTicks the coming ticks, as many as were asked for */
    public static Map<String, @Nullable Object> write(CronInfo cron, List<Instant> nextTicks) {
        CronDefinition definition = cron.definition();
        return new JsonObjectWriter()
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
                .put("paused_at", cron.pausedAt())
                .put("gone_at", cron.goneAt())
                .put("next_ticks", ticks(nextTicks))
                .put("last_tick", cron.lastTick())
                .text("last_job", cron.lastJob())
                .put("problem", cron.problem())
                .put("next_tick", cron.nextTick())
                .raw("args", Optional.of(definition.args()))
                .put("options", JobOptionsDocument.write(definition.options()))
                .put("updated_at", cron.updatedAt())
                .done();
    }

    public static List<@Nullable Object> ticks(List<Instant> ticks) {
        return JsonObjectWriter.list(ticks, Json::time);
    }

    public static CronInfo read(JsonObjectReader fields) {
        return new CronInfo(
                new CronDefinition(
                        fields.text("name"),
                        fields.text("expression"),
                        fields.text("zone"),
                        fields.parsed("misfire", Misfire::stored),
                        fields.optionalInteger("catch_up_limit").orElse(USUAL_CATCH_UP_LIMIT),
                        fields.parsed("overlap", Overlap::stored),
                        Duration.ofMillis(fields.longNumber("jitter_ms")),
                        fields.text("job"),
                        fields.rawEvenIfNull("args").orElse("null"),
                        JobOptionsDocument.read(fields.object("options"))),
                fields.parsed("source", Source::stored),
                fields.optionalInstant("paused_at"),
                fields.optionalInstant("gone_at"),
                fields.optionalInstant("next_tick"),
                fields.optionalInstant("last_tick"),
                fields.optionalParsed("last_job", JobId::of),
                fields.optionalText("problem"),
                fields.instant("updated_at"));
    }
}
