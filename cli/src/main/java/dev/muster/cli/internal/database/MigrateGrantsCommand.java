package dev.muster.cli.internal.database;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints the GRANT statements that a role needs. */
@Command(
        name = "grants",
        description = {
            "Print the GRANT statements that a role needs to run nodes, and no more than that. Changes nothing.",
            "Run the output as the owner of the tables. Repeat this after each 'muster migrate up'."
        })
final class MigrateGrantsCommand implements Callable<Integer> {
    @Option(names = "--role", paramLabel = "ROLE", required = true, description = "The role; it must exist.")
    private String role;

    @Option(names = "--read-only", description = "Only the grants for a role that reads and changes nothing.")
    private boolean readOnly;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        try (Session session = Session.forTables(settings.load())) {
            List<String> statements = session.admin().grants(role, readOnly);
            List<String> pending = MigrateStatusCommand.pending(session.admin());
            if (!pending.isEmpty()) {
                output.say("muster: not applied yet: " + String.join(", ", pending)
                        + "; run this again after 'muster migrate up'");
            }
            output.print(() -> statements, () -> String.join("\n", statements));
        }
        return ExitCode.DONE;
    }
}
