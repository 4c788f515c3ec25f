package dev.muster.cli.database;

import dev.muster.cli.config.SettingsOptions;
import dev.muster.cli.console.CommandFailed;
import dev.muster.cli.console.ExitCode;
import dev.muster.config.MusterConfig;
import dev.muster.postgres.schema.Migrations;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints the SQL for those who let nobody else change their tables. */
@Command(
        name = "sql",
        description = {
            "Print migrations as one SQL script: all of them, for a schema that has none, unless an option says which.",
            "Needs no database, except for --pending."
        })
final class MigrateSqlCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--from",
            paramLabel = "VERSION",
            description = "Only what comes after this version, such as 5 or V005, and functions and views.")
    private @Nullable String from;

    @Option(names = "--pending", description = "Only what the database lacks.")
    private boolean pending;

    @Option(
            names = "--no-transaction",
            description = "Without BEGIN and COMMIT, for a tool that runs each script in a transaction of its own.")
    private boolean noTransaction;

    @Mixin
    private SettingsOptions settings;

    @Override
    public Integer call() {
        if (pending && from != null) {
            throw CommandFailed.badInput("--pending asks the database, --from tells what it has; give one of them");
        }
        MusterConfig config = settings.load();
        String script = Migrations.script(config.database().schema(), chosen(config), !noTransaction);
        spec.commandLine().getOut().println(script.stripTrailing());
        spec.commandLine().getOut().flush();
        return ExitCode.DONE;
    }

    private List<String> chosen(MusterConfig config) {
        if (from != null) {
            try {
                return Migrations.after(from);
            } catch (IllegalArgumentException unknown) {
                throw CommandFailed.badInput("--from: " + unknown.getMessage());
            }
        }
        if (pending) {
            try (StoreSession session = StoreSession.open(config)) {
                return session.pendingMigrations();
            }
        }
        return Migrations.names();
    }
}
