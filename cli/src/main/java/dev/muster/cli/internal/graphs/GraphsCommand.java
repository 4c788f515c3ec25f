package dev.muster.cli.internal.graphs;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Commands about graphs. */
@Command(
        name = "graphs",
        description = "Submit, list, show, cancel and retry graphs of tasks.",
        subcommands = {
            SubmitCommand.class,
            ListCommand.class,
            ShowCommand.class,
            CancelCommand.class,
            RetryCommand.class
        })
public final class GraphsCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "which one? submit, list, show, cancel or retry");
    }
}
