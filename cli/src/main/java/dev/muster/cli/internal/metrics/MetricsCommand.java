package dev.muster.cli.internal.metrics;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.MetricsDocument;
import dev.muster.internal.config.DurationText;
import dev.muster.internal.runtime.Names;
import dev.muster.telemetry.JobMetrics;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows throughput, failures and durations of the last hour or another period. */
@Command(
        name = "metrics",
        description = {
            "Show recent metrics by queue and job name: how many jobs ended, how many per minute, how long they waited and"
                    + " ran, and how many are due.",
            "The leader of metrics_aggregator counts them from history once a minute."
        })
public final class MetricsCommand implements Callable<Integer> {
    private static final Duration LONGEST = Duration.ofDays(31);
    private static final Duration LATE = Duration.ofMinutes(5);

    @Option(
            names = "--since",
            paramLabel = "D",
            defaultValue = "1h",
            description = "How far to look back, 1m to 31d. Default: ${DEFAULT-VALUE}.")
    private String since;

    @Option(names = "--queue", paramLabel = "Q", description = "Only this queue.")
    private @Nullable String queue;

    @Option(names = "--name", paramLabel = "NAME", description = "Only jobs with this name.")
    private @Nullable String name;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        Duration span = span();
        if (queue != null) {
            Names.require("queue", queue);
        }
        if (name != null) {
            Names.require("job name", name);
        }
        try (Session session = Session.toRead(settings)) {
            JobMetrics all = session.admin().metrics(span);
            JobMetrics figures = new JobMetrics(
                    all.from(),
                    all.to(),
                    all.age(),
                    all.of().stream().filter(this::isWanted).toList());
            output.print(() -> MetricsDocument.write(figures), () -> MetricsText.of(figures));
            sayIfLate(all);
            if (figures.of().isEmpty()) {
                output.hint(() -> session.sentencesAboutUnknown(name, queue));
            }
        }
        return ExitCode.DONE;
    }

    private Duration span() {
        Duration span = DurationText.parse(since);
        if (span.compareTo(Duration.ofMinutes(1)) < 0 || span.compareTo(LONGEST) > 0) {
            throw CommandFailed.badInput("--since must be 1m to 31d, not " + since);
        }
        return span;
    }

    private boolean isWanted(JobMetrics.Row row) {
        boolean ofQueue = queue == null || row.queue().equals(queue);
        return ofQueue && (name == null || row.name().filter(name::equals).isPresent());
    }

    private void sayIfLate(JobMetrics figures) {
        if (figures.age().compareTo(LATE) > 0) {
            output.say("no minute since " + figures.to() + " has been counted; 'muster cluster leaders' shows who leads"
                    + " metrics_aggregator");
        }
    }
}
