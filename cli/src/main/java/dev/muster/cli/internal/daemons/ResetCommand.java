package dev.muster.cli.internal.daemons;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.JsonObjectWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Lets a failed daemon start again. */
@Command(name = "reset", description = "Let a failed daemon start again, with its restarts counted from zero.")
final class ResetCommand implements Callable<Integer> {
    @Parameters(paramLabel = "NAME", description = "The daemon's name.")
    private String name;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        try (Session session = Session.open(settings)) {
            session.audited("daemons.reset", name, () -> {
                if (!session.cluster().daemons().reset(name)) {
                    throw CommandFailed.failed("there is no failed daemon '" + name + "'");
                }
                return true;
            });
            output.print(
                    () -> new JsonObjectWriter()
                            .put("name", name)
                            .put("reset", true)
                            .done(),
                    () -> "reset: " + name);
        }
        return ExitCode.DONE;
    }
}
