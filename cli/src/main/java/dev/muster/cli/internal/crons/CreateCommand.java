package dev.muster.cli.internal.crons;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.CronDocument;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.CronSpec;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Adds a cron. */
@Command(
        name = "create",
        description = "Add a cron that enqueues a job at each of its ticks. It stays until it is deleted.")
final class CreateCommand implements Callable<Integer> {
    @Parameters(paramLabel = "NAME", description = "The cron's name.")
    private String name;

    @Mixin
    private CronOptions options;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        CronSpec spec = options.create(name);
        try (Session session = Session.open(settings)) {
            session.prepareTables();
            CronInfo cron = session.audited(
                    "crons.create", name, () -> session.cluster().crons().create(spec));
            Previews previews = new Previews(session.cluster().crons(), 1);
            output.print(
                    () -> CronDocument.write(cron, previews.of(cron)), () -> CronText.table(List.of(cron), previews));
            output.hint(() -> options.unknownJob(session));
        }
        return ExitCode.DONE;
    }
}
