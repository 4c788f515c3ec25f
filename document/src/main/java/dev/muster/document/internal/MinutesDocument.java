package dev.muster.document.internal;

import dev.muster.telemetry.MinuteMetrics;
import dev.muster.telemetry.MinuteMetrics.Minute;
import dev.muster.telemetry.MinuteMetrics.Queue;
import dev.muster.telemetry.MinuteMetrics.Times;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of each minute.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class MinutesDocument {
    private MinutesDocument() {}

    public static Map<String, @Nullable Object> write(MinuteMetrics metrics) {
        return new JsonObjectWriter()
                .put("from", metrics.from())
                .put("to", metrics.to())
                .put("queues", JsonObjectWriter.list(metrics.queues(), MinutesDocument::queue))
                .done();
    }

    private static Map<String, @Nullable Object> queue(Queue queue) {
        return new JsonObjectWriter()
                .put("name", queue.name())
                .put("minutes", JsonObjectWriter.list(queue.minutes(), MinutesDocument::write))
                .done();
    }

    public static Map<String, @Nullable Object> write(Minute minute) {
        return new JsonObjectWriter()
                .put("minute", minute.minute())
                .put("completed", minute.completed())
                .put("failed", minute.failed())
                .put("cancelled", minute.cancelled())
                .put("expired", minute.expired())
                .put("run_p50_ms", minute.ran().map(Times::p50))
                .put("run_p95_ms", minute.ran().map(Times::p95))
                .put("wait_p50_ms", minute.waited().map(Times::p50))
                .put("wait_p95_ms", minute.waited().map(Times::p95))
                .put("depth", minute.depth())
                .done();
    }

    public static MinuteMetrics read(JsonObjectReader fields) {
        return new MinuteMetrics(
                fields.instant("from"),
                fields.instant("to"),
                fields.list("queues").stream()
                        .map(queue -> new Queue(
                                queue.text("name"),
                                queue.list("minutes").stream()
                                        .map(MinutesDocument::readMinute)
                                        .toList()))
                        .toList());
    }

    public static Minute readMinute(JsonObjectReader fields) {
        return new Minute(
                fields.instant("minute"),
                fields.longNumber("completed"),
                fields.longNumber("failed"),
                fields.longNumber("cancelled"),
                fields.longNumber("expired"),
                times(fields, "run"),
                times(fields, "wait"),
                fields.optionalLong("depth"));
    }

    private static Optional<Times> times(JsonObjectReader fields, String what) {
        return fields.optionalDecimal(what + "_p50_ms").map(p50 -> new Times(p50, fields.decimal(what + "_p95_ms")));
    }
}
