package dev.muster.cli.internal.database;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Commands about Muster's tables. */
@Command(
        name = "migrate",
        description = "Bring Muster's tables up to date, show what is missing, and print SQL and grants.",
        subcommands = {
            MigrateUpCommand.class,
            MigrateStatusCommand.class,
            MigrateSqlCommand.class,
            MigrateGrantsCommand.class
        })
public final class MigrateCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "which one? up, status, sql or grants");
    }
}
