package dev.muster.cli.internal.workflows;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Commands about workflows. */
@Command(
        name = "workflows",
        description =
                "List, show, start, signal, cancel, retry and retire runs of workflows; pause and resume workflows.",
        subcommands = {
            ListCommand.class,
            ShowCommand.class,
            StartCommand.class,
            SignalCommand.class,
            CancelCommand.class,
            RetryCommand.class,
            RetireCommand.class,
            PauseCommand.class,
            ResumeCommand.class
        })
public final class WorkflowsCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "which one? list, show, start, signal, cancel, retry, retire, pause or resume");
    }
}
