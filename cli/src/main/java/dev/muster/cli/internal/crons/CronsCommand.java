package dev.muster.cli.internal.crons;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Commands about crons. */
@Command(
        name = "crons",
        description = "List, create, change, delete, pause, resume and trigger crons.",
        subcommands = {
            ListCommand.class,
            NextCommand.class,
            CreateCommand.class,
            UpdateCommand.class,
            DeleteCommand.class,
            PauseCommand.class,
            ResumeCommand.class,
            TriggerCommand.class
        })
public final class CronsCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "which one? list, next, create, update, delete, pause, resume or trigger");
    }
}
