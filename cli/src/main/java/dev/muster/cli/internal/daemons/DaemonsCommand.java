package dev.muster.cli.internal.daemons;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Commands about daemons. */
@Command(
        name = "daemons",
        description = "Show where daemons run, and restart failed ones.",
        subcommands = {ListCommand.class, ResetCommand.class})
public final class DaemonsCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "which one? list or reset");
    }
}
