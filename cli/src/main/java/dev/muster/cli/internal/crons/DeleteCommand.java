package dev.muster.cli.internal.crons;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.schedule.Crons;
import dev.muster.schedule.InvalidCron;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Removes a cron. */
@Command(name = "delete", description = "Remove a cron that was created at run time. Jobs that it has enqueued stay.")
final class DeleteCommand implements Callable<Integer> {
    @Parameters(paramLabel = "NAME", description = "The cron's name.")
    private String name;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        try (Session session = Session.open(settings)) {
            Crons crons = session.cluster().crons();
            session.audited("crons.delete", name, () -> {
                if (!crons.delete(name)) {
                    throw InvalidCron.noSuchCron(name, crons.list());
                }
                return true;
            });
            output.print(
                    () -> new JsonObjectWriter()
                            .put("name", name)
                            .put("deleted", true)
                            .done(),
                    () -> "deleted cron " + name);
        }
        return ExitCode.DONE;
    }
}
