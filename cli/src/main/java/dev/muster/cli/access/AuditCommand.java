package dev.muster.cli.access;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Commands about the audit. */
@Command(
        name = "audit",
        description = "Show who did what to the cluster.",
        subcommands = {ListAuditCommand.class})
public final class AuditCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "which one? list");
    }
}
