package dev.muster.document.internal;

import dev.muster.job.JobRate;
import dev.muster.job.QueueLimit;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Limits of queues: {@code max_running}, {@code rate} and {@code burst}, which are null where there is none.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class QueueLimitDocument {
    private QueueLimitDocument() {}

    public static Map<String, @Nullable Object> write(QueueLimit limit) {
        return put(new JsonObjectWriter(), limit).done();
    }

    static JsonObjectWriter put(JsonObjectWriter members, QueueLimit limit) {
        return members.put(
                        "max_running",
                        limit.maxRunning().isPresent() ? limit.maxRunning().getAsInt() : null)
                .text("rate", limit.rate())
                .put("burst", limit.rate().map(JobRate::burst));
    }

    /** Reads the request of a limit: without a burst, the rate has its usual one. */
    public static QueueLimit read(JsonObjectReader fields) {
        fields.refuseOthers("max_running", "rate", "burst");
        return readFrom(fields);
    }

    static QueueLimit readFrom(JsonObjectReader fields) {
        Optional<JobRate> rate = fields.optionalParsed("rate", JobRate::parse);
        Optional<Integer> burst = fields.optionalInteger("burst");
        if (burst.isPresent() && rate.isEmpty()) {
            throw fields.refusal("burst", "goes with a rate only");
        }
        if (burst.isPresent()) {
            rate = rate.map(steady -> fields.placed("burst", burst.get(), steady::withBurst));
        }
        Optional<JobRate> limited = rate;
        OptionalInt most =
                fields.optionalInteger("max_running").map(OptionalInt::of).orElse(OptionalInt.empty());
        return fields.placed("max_running", most, max -> new QueueLimit(max, limited));
    }
}
