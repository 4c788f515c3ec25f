package dev.muster.cli.internal.crons;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.CronDocument;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.schedule.CronInfo;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists crons. */
@Command(name = "list", description = "List the crons with their next ticks.")
final class ListCommand implements Callable<Integer> {
    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Option(
            names = "--next",
            paramLabel = "N",
            defaultValue = "1",
            description = "How many ticks to show for each cron. Default: ${DEFAULT-VALUE}.")
    private int next;

    @Override
    public Integer call() {
        int ticks = NextCommand.count("--next", next);
        try (Session session = Session.toRead(settings)) {
            List<CronInfo> crons = session.cluster().crons().list();
            Previews previews = new Previews(session.cluster().crons(), ticks);
            output.print(
                    () -> JsonObjectWriter.list(crons, cron -> CronDocument.write(cron, previews.of(cron))),
                    () -> CronText.table(crons, previews));
        }
        return ExitCode.DONE;
    }
}
