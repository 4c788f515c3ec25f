package dev.muster.cli.crons;

import dev.muster.cli.config.SettingsOptions;
import dev.muster.cli.console.CommandFailed;
import dev.muster.cli.console.ExitCode;
import dev.muster.cli.console.Json;
import dev.muster.cli.console.OutputOption;
import dev.muster.cli.database.Session;
import dev.muster.config.Nearest;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.Crons;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Removes a cron. */
@Command(name = "delete", description = "Remove a cron that was created at run time; jobs that it has enqueued stay.")
final class DeleteCommand implements Callable<Integer> {
    @Parameters(paramLabel = "NAME", description = "The cron's name.")
    private String name;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        try (Session session = Session.open(settings.load())) {
            Crons crons = session.muster().crons();
            if (!crons.delete(name)) {
                throw noSuchCron(crons, name);
            }
            output.print(() -> Json.object().put("name", name).put("deleted", true), () -> "deleted cron " + name);
        }
        return ExitCode.DONE;
    }

    static CommandFailed noSuchCron(Crons crons, String name) {
        List<String> known = crons.list().stream().map(CronInfo::name).toList();
        return CommandFailed.failed("there is no cron '" + name + "'" + Nearest.suggestion(name, known));
    }
}
