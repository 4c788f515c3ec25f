package dev.muster.document.internal;

import dev.muster.job.HandlerInfo;
import dev.muster.job.JobOptions;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Options of handlers and crons; an option that is not set is null.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class JobOptionsDocument {
    private JobOptionsDocument() {}

    public static Map<String, @Nullable Object> write(JobOptions options) {
        return put(new JsonObjectWriter(), options).done();
    }

    private static JsonObjectWriter put(JsonObjectWriter members, JobOptions options) {
        return members.put("queue", options.queue())
                .put("capability", options.capability())
                .put("priority", Optional.ofNullable(options.priority()).map(JobDocument::text))
                .put("max_attempts", options.maxAttempts())
                .put("max_crashes", options.maxCrashes())
                .put("timeout", JsonObjectWriter.duration(Optional.ofNullable(options.timeout())));
    }

    public static JobOptions read(JsonObjectReader fields) {
        return new JobOptions(
                fields.optionalText("queue").orElse(null),
                fields.optionalText("capability").orElse(null),
                fields.optionalPriority("priority").orElse(null),
                fields.optionalInteger("max_attempts").orElse(null),
                fields.optionalInteger("max_crashes").orElse(null),
                fields.optionalDuration("timeout").orElse(null));
    }

    /** A handler: the name of its jobs, their options, and whether it is open to tenants. */
    public static Map<String, @Nullable Object> handler(String name, HandlerInfo handler) {
        return put(new JsonObjectWriter().put("name", name), handler.options())
                .put("tenants", handler.tenants())
                .done();
    }

    public static HandlerInfo readHandler(JsonObjectReader fields) {
        return new HandlerInfo(read(fields), fields.flag("tenants"));
    }
}
