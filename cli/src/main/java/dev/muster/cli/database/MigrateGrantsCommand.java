package dev.muster.cli.database;

import dev.muster.cli.config.SettingsOptions;
import dev.muster.cli.console.ExitCode;
import dev.muster.cli.console.Json;
import dev.muster.cli.console.OutputOption;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ArrayNode;

/** Prints what a role needs to be granted. */
@Command(
        name = "grants",
        description = {
            "Print the GRANT statements that let a role run nodes on Muster's tables, and touch nothing else.",
            "Changes nothing: run what it prints as the owner of the tables, and again after each 'muster migrate up'."
        })
final class MigrateGrantsCommand implements Callable<Integer> {
    @Option(names = "--role", paramLabel = "ROLE", required = true, description = "The role; it must exist.")
    private String role;

    @Option(names = "--read-only", description = "Only what a role needs that looks and changes nothing.")
    private boolean readOnly;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        try (StoreSession session = StoreSession.open(settings.load())) {
            List<String> statements = session.grants(role, readOnly);
            List<String> pending = session.pendingMigrations();
            if (!pending.isEmpty()) {
                output.say("muster: not applied yet: " + String.join(", ", pending)
                        + "; after 'muster migrate up' run this again");
            }
            output.print(() -> document(statements), () -> String.join("\n", statements));
        }
        return ExitCode.DONE;
    }

    private static ArrayNode document(List<String> statements) {
        ArrayNode list = Json.array();
        statements.forEach(list::add);
        return list;
    }
}
