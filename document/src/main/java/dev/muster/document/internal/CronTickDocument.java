package dev.muster.document.internal;

import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.schedule.CronTick;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Ticks of crons.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class CronTickDocument {
    private CronTickDocument() {}

    public static Map<String, @Nullable Object> write(CronTick tick) {
        return new JsonObjectWriter()
                .put("at", tick.at())
                .text("job", tick.job())
                .put("status", tick.status().map(JobStatus::text))
                .put("finished_at", tick.finishedAt())
                .done();
    }

    public static CronTick read(JsonObjectReader fields) {
        return new CronTick(
                fields.instant("at"),
                fields.optionalParsed("job", JobId::of),
                fields.optionalParsed("status", JobStatus::stored),
                fields.optionalInstant("finished_at"));
    }
}
