package dev.muster.cli.database;

import dev.muster.cli.config.SettingsOptions;
import dev.muster.cli.console.ExitCode;
import dev.muster.postgres.Migrations;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints the SQL for those who let nobody else change their tables. */
@Command(name = "sql", description = "Print all migrations as one SQL script for an empty schema; needs no database.")
final class MigrateSqlCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private SettingsOptions settings;

    @Override
    public Integer call() {
        spec.commandLine()
                .getOut()
                .println(Migrations.script(settings.load().database().schema()));
        spec.commandLine().getOut().flush();
        return ExitCode.DONE;
    }
}
