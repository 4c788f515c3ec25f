package dev.muster.cli.internal.database;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.config.MusterConfig;
import dev.muster.postgres.internal.schema.Migrations;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints the SQL, for people who apply migrations themselves. */
@Command(
        name = "sql",
        description = {
            "Print the migrations as one SQL script. Without --from or --pending it is the script for a new schema.",
            "Needs no database, except for --pending."
        })
final class MigrateSqlCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--from",
            paramLabel = "VERSION",
            description = "Only migrations after this version, such as 5 or V005, and all functions and views.")
    private @Nullable String from;

    @Option(names = "--pending", description = "Only migrations that the database does not have yet.")
    private boolean pending;

    @Option(
            names = "--no-transaction",
            description = "Without BEGIN and COMMIT, for a tool that runs each script in its own transaction.")
    private boolean noTransaction;

    @Mixin
    private SettingsOptions settings;

    @Override
    public Integer call() {
        if (pending && from != null) {
            throw CommandFailed.badInput("--pending and --from exclude each other; give one of them");
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
            try (Session session = Session.forTables(config)) {
                return MigrateStatusCommand.pending(session.admin());
            }
        }
        return Migrations.names();
    }
}
