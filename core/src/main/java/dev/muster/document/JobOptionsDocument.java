package dev.muster.document;

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
        return put(new Members(), options).done();
    }

    private static Members put(Members members, JobOptions options) {
        return members.put("queue", options.queue())
                .put("capability", options.capability())
                .put("priority", Optional.ofNullable(options.priority()).map(JobDocument::text))
                .put("max_attempts", options.maxAttempts())
                .put("max_crashes", options.maxCrashes())
                .put("timeout", Members.duration(Optional.ofNullable(options.timeout())));
    }

    public static JobOptions read(Fields fields) {
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
        return put(new Members().put("name", name), handler.options())
                .put("tenants", handler.tenants())
                .done();
    }

    public static HandlerInfo readHandler(Fields fields) {
        return new HandlerInfo(read(fields), fields.flag("tenants"));
    }
}
