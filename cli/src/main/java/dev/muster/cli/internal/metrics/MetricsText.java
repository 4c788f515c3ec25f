package dev.muster.cli.internal.metrics;

import dev.muster.cli.internal.console.Ages;
import dev.muster.cli.internal.console.Counts;
import dev.muster.cli.internal.console.Table;
import dev.muster.document.internal.MetricsDocument;
import dev.muster.telemetry.JobMetrics;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** Metrics as text. */
final class MetricsText {
    private static final int NAME_WIDTH = 24;

    private MetricsText() {}

    static String of(JobMetrics figures) {
        String span = figures.from() + " to " + figures.to();
        if (figures.of().isEmpty()) {
            return "no jobs ended or were due from " + span;
        }
        Table table =
                new Table("QUEUE", "NAME", "COMPLETED", "FAILED", "PER MIN", "RUN P50/P95", "WAIT P50/P95", "DUE");
        for (JobMetrics.Row row : figures.of()) {
            table.row(
                    Table.cut(row.queue(), NAME_WIDTH),
                    row.name().map(name -> Table.cut(name, NAME_WIDTH)).orElse("(all)"),
                    Counts.of(row.completed()),
                    Counts.of(row.failed()),
                    perMinute(row.ended() / MetricsDocument.minutes(figures)),
                    times(row.ran()),
                    times(row.waited()),
                    Counts.of(row.depth()));
        }
        return "from " + span + "\n" + table;
    }

    private static String perMinute(double rate) {
        return rate >= 10 ? Counts.of(Math.round(rate)) : String.format(Locale.ROOT, "%.1f", rate);
    }

    private static String times(Optional<JobMetrics.Percentiles> times) {
        return times.map(t -> brief(t.p50()) + "/" + brief(t.p95())).orElse("-");
    }

    private static String brief(double millis) {
        return Ages.brief(Duration.ofMillis(Math.round(millis)));
    }
}
