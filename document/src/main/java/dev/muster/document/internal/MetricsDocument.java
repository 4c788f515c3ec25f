package dev.muster.document.internal;

import dev.muster.telemetry.JobMetrics;
import dev.muster.telemetry.JobMetrics.Percentiles;
import dev.muster.telemetry.JobMetrics.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How many jobs ended in a period, and how long they took.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class MetricsDocument {
    private MetricsDocument() {}

    public static Map<String, @Nullable Object> write(JobMetrics metrics) {
        return new JsonObjectWriter()
                .put("from", metrics.from())
                .put("to", metrics.to())
                .put("queues", rows(metrics, false))
                .put("jobs", rows(metrics, true))
                .put("age_ms", metrics.age().toMillis())
                .done();
    }

    private static List<@Nullable Object> rows(JobMetrics metrics, boolean named) {
        double minutes = minutes(metrics);
        return JsonObjectWriter.list(
                metrics.of().stream()
                        .filter(row -> row.name().isPresent() == named)
                        .toList(),
                row -> row(row, minutes));
    }

    /** How many minutes the period has, at least one. */
    public static double minutes(JobMetrics metrics) {
        return Math.max(1, Duration.between(metrics.from(), metrics.to()).toMinutes());
    }

    private static Map<String, @Nullable Object> row(Row row, double minutes) {
        JsonObjectWriter members = new JsonObjectWriter()
                .put("queue", row.queue())
                .putIfPresent("name", row.name())
                .put("completed", row.completed())
                .put("failed", row.failed())
                .put("cancelled", row.cancelled())
                .put("expired", row.expired())
                .put("per_minute", row.ended() / minutes);
        put(members, "run", row.ran());
        put(members, "wait", row.waited());
        return members.put("depth", row.depth()).done();
    }

    private static void put(JsonObjectWriter members, String what, Optional<Percentiles> times) {
        members.put(what + "_p50_ms", times.map(Percentiles::p50))
                .put(what + "_p95_ms", times.map(Percentiles::p95))
                .put(what + "_p95_worst_minute_ms", times.map(Percentiles::worst));
    }

    public static JobMetrics read(JsonObjectReader fields) {
        Map<String, List<Row>> byQueue = new LinkedHashMap<>();
        for (String list : List.of("queues", "jobs")) {
            for (JsonObjectReader row : fields.list(list)) {
                byQueue.computeIfAbsent(row.text("queue"), queue -> new ArrayList<>())
                        .add(readRow(row));
            }
        }
        return new JobMetrics(
                fields.instant("from"),
                fields.instant("to"),
                Duration.ofMillis(fields.longNumber("age_ms")),
                byQueue.values().stream().flatMap(List::stream).toList());
    }

    private static Row readRow(JsonObjectReader fields) {
        return new Row(
                fields.text("queue"),
                fields.optionalText("name"),
                fields.longNumber("completed"),
                fields.longNumber("failed"),
                fields.longNumber("cancelled"),
                fields.longNumber("expired"),
                times(fields, "run"),
                times(fields, "wait"),
                fields.longNumber("depth"));
    }

    private static Optional<Percentiles> times(JsonObjectReader fields, String what) {
        return fields.optionalDecimal(what + "_p50_ms")
                .map(p50 -> new Percentiles(
                        p50, fields.decimal(what + "_p95_ms"), fields.decimal(what + "_p95_worst_minute_ms")));
    }
}
