package dev.muster.cli.internal.batches;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Commands about batches. */
@Command(
        name = "batches",
        description = "List, show, create, seal and cancel batches of jobs.",
        subcommands = {ListCommand.class, ShowCommand.class, CreateCommand.class, SealCommand.class, CancelCommand.class
        })
public final class BatchesCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "which one? list, show, create, seal or cancel");
    }
}
