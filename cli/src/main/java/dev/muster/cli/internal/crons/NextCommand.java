package dev.muster.cli.internal.crons;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.CronDocument;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Previews the ticks of a cron. */
@Command(name = "next", description = "Show when a cron ticks next, as if it were not paused.")
final class NextCommand implements Callable<Integer> {
    private static final int MOST = 1_000;

    @Parameters(paramLabel = "NAME", description = "The cron's name.")
    private String name;

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "5",
            description = "How many ticks to show. Default: ${DEFAULT-VALUE}.")
    private int count;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    static int count(String option, int value) {
        if (value < 1 || value > MOST) {
            throw CommandFailed.badInput(option + " must be 1 to " + MOST + ", not " + value);
        }
        return value;
    }

    @Override
    public Integer call() {
        int ticks = count("--count", count);
        try (Session session = Session.toRead(settings)) {
            List<Instant> next = session.cluster().crons().next(name, ticks);
            output.print(
                    () -> CronDocument.ticks(next),
                    () -> next.stream().map(Instant::toString).collect(Collectors.joining("\n")));
        }
        return ExitCode.DONE;
    }
}
