package dev.muster.cli.internal.queues;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Commands about queues. */
@Command(
        name = "queues",
        description = "List, pause, resume and limit queues.",
        subcommands = {ListCommand.class, PauseCommand.class, ResumeCommand.class, LimitCommand.class})
public final class QueuesCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "which one? list, pause, resume or limit");
    }
}
