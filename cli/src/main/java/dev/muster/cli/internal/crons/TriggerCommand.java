package dev.muster.cli.internal.crons;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.job.JobId;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Runs a cron now. */
@Command(
        name = "trigger",
        description = "Enqueue a cron's job now, outside its schedule, even while the cron is paused.")
final class TriggerCommand implements Callable<Integer> {
    @Parameters(paramLabel = "NAME", description = "The cron's name.")
    private String name;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        try (Session session = Session.open(settings)) {
            JobId id = session.audited(
                    "crons.trigger", name, () -> session.cluster().crons().trigger(name));
            output.print(
                    () -> new JsonObjectWriter()
                            .put("cron", name)
                            .put("job", id.toString())
                            .done(),
                    () -> "enqueued job " + id);
        }
        return ExitCode.DONE;
    }
}
