package dev.muster.document.internal;

import dev.muster.internal.config.DurationText;
import dev.muster.internal.runtime.Shown;
import dev.muster.job.JobOptions;
import dev.muster.job.JobRequest;
import dev.muster.job.JobType;
import dev.muster.job.RawJson;
import dev.muster.runtime.JsonCodec;
import dev.muster.schedule.CronSpec;
import dev.muster.schedule.Misfire;
import dev.muster.schedule.Overlap;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Requests for crons.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class CronSpecDocument {
    private CronSpecDocument() {}

    /** @param json writes the args of the job, unless they are {@link RawJson} */
    public static Map<String, @Nullable Object> write(CronSpec spec, JsonCodec json) {
        return new JsonObjectWriter()
                .put("name", spec.name())
                .put("expression", spec.expression())
                .put("zone", spec.zone().getId())
                .put("job", spec.job().name())
                .putIfPresent("args", spec.job().args().map(args -> JobRequestDocument.raw(args, json)))
                .put("options", JobOptionsDocument.write(spec.job().options()))
                .put("misfire", spec.misfire().text())
                .put("catch_up_limit", spec.catchUpLimit())
                .put("overlap", spec.overlap().text())
                .put("jitter", DurationText.format(spec.jitter()))
                .done();
    }

    /** Reads a request. What is missing is as in {@link CronSpec#of}; the args of the job are {@link RawJson}. */
    public static CronSpec read(JsonObjectReader fields) {
        fields.refuseOthers(
                "name",
                "expression",
                "zone",
                "job",
                "args",
                "options",
                "misfire",
                "catch_up_limit",
                "overlap",
                "jitter");
        JobRequest job = job(fields);
        String name = fields.text("name");
        CronSpec usual = fields.placed("expression", fields.text("expression"), text -> CronSpec.of(name, text, job));
        return fields.placed(
                "zone",
                fields.optionalParsed("zone", text -> zone(fields, text)).orElse(usual.zone()),
                zone -> usual.zone(zone)
                        .catchUp(fields.optionalInteger("catch_up_limit").orElse(usual.catchUpLimit()))
                        .misfire(
                                fields.optionalChoice("misfire", Misfire.known().toArray(Misfire[]::new), Misfire::text)
                                        .orElse(usual.misfire()))
                        .overlap(
                                fields.optionalChoice("overlap", Overlap.known().toArray(Overlap[]::new), Overlap::text)
                                        .orElse(usual.overlap()))
                        .jitter(fields.optionalDuration("jitter").orElse(usual.jitter())));
    }

    /** The request names a type, so that the cron can be created while no node with its handler is up. */
    private static JobRequest job(JsonObjectReader fields) {
        RawJson args = new RawJson(fields.rawEvenIfNull("args").orElse("null"));
        JobRequest plain = fields.placed(
                "job", fields.text("job"), name -> JobRequest.of(JobType.of(name, RawJson.class, Object.class), args));
        Optional<JobOptions> options = fields.optionalObject("options").map(given -> {
            given.refuseOthers("queue", "capability", "priority", "max_attempts", "max_crashes", "timeout");
            return JobOptionsDocument.read(given);
        });
        return options.map(given -> fields.placed("options", given, plain::options))
                .orElse(plain);
    }

    private static ZoneId zone(JsonObjectReader fields, String text) {
        try {
            return ZoneId.of(text);
        } catch (DateTimeException e) {
            throw new InvalidDocument(
                    fields.whereIs("zone"),
                    "there is no time zone '" + Shown.of(text) + "'; allowed are UTC and names such as Europe/Berlin",
                    e);
        }
    }
}
