package dev.muster.cli.internal.crons;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.CronDocument;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.Crons;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Changes a cron. */
@Command(
        name = "update",
        description = "Change a cron that was created at run time. Options that are not given stay as they are.")
final class UpdateCommand implements Callable<Integer> {
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
        options.requireAny();
        try (Session session = Session.open(settings)) {
            Crons crons = session.cluster().crons();
            CronInfo cron = session.audited("crons.update", name, () -> crons.update(options.update(crons, name)));
            Previews previews = new Previews(crons, 1);
            output.print(
                    () -> CronDocument.write(cron, previews.of(cron)), () -> CronText.table(List.of(cron), previews));
            output.hint(() -> options.unknownJob(session));
        }
        return ExitCode.DONE;
    }
}
