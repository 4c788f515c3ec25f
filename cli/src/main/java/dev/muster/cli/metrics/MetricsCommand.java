package dev.muster.cli.metrics;

import dev.muster.cli.config.SettingsOptions;
import dev.muster.cli.console.CommandFailed;
import dev.muster.cli.console.ExitCode;
import dev.muster.cli.console.OutputOption;
import dev.muster.cli.database.Session;
import dev.muster.config.DurationText;
import dev.muster.config.Nearest;
import dev.muster.runtime.Names;
import dev.muster.upkeep.Figures;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Throughput, failures and times of the last hour, or of as long as asked. */
@Command(
        name = "metrics",
        description = {
            "Show what became of jobs lately, by queue and job name: how many ended, per minute, how long they waited and"
                    + " ran, how many are due.",
            "Counted from history, once a minute, by the leader of metrics_aggregator."
        })
public final class MetricsCommand implements Callable<Integer> {
    private static final Duration LONGEST = Duration.ofDays(31);
    private static final Duration LATE = Duration.ofMinutes(5);

    @Option(
            names = "--since",
            paramLabel = "D",
            defaultValue = "1h",
            description = "The last so long, 1m to 31d: ${DEFAULT-VALUE}.")
    private String since;

    @Option(names = "--queue", paramLabel = "Q", description = "Only this queue.")
    private @Nullable String queue;

    @Option(names = "--name", paramLabel = "NAME", description = "Only jobs of this name.")
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
        try (Session session = Session.open(settings.load())) {
            Figures all = session.figures(span);
            Figures figures = new Figures(
                    all.from(),
                    all.to(),
                    all.age(),
                    all.of().stream().filter(this::isWanted).toList());
            output.print(() -> MetricsJson.of(figures), () -> MetricsText.of(figures));
            notes(session, all, figures).forEach(output::say);
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

    private boolean isWanted(Figures.Row row) {
        boolean ofQueue = queue == null || row.queue().equals(queue);
        return ofQueue && (name == null || row.name().filter(name::equals).isPresent());
    }

    private Stream<String> notes(Session session, Figures all, Figures shown) {
        Stream<String> late = all.age().compareTo(LATE) > 0
                ? Stream.of("no minute since " + all.to() + " has been counted: see who leads metrics_aggregator with"
                        + " 'muster cluster leaders'")
                : Stream.empty();
        return shown.of().isEmpty() ? Stream.concat(late, unknown(session).stream()) : late;
    }

    private List<String> unknown(Session session) {
        if (name == null && queue == null) {
            return List.of();
        }
        return Stream.concat(
                        unknown("job is called", name, session.knownNames().jobs()),
                        unknown("job has queue", queue, session.knownNames().queues()))
                .toList();
    }

    private static Stream<String> unknown(String what, @Nullable String wanted, Set<String> known) {
        return wanted == null || known.contains(wanted)
                ? Stream.empty()
                : Stream.of(
                        "no handler and no recent " + what + " '" + wanted + "'" + Nearest.suggestion(wanted, known));
    }
}
