package dev.muster.cli.database;

import dev.muster.cli.config.SettingsOptions;
import dev.muster.cli.console.ExitCode;
import dev.muster.cli.console.Json;
import dev.muster.cli.console.OutputOption;
import dev.muster.cli.console.Table;
import dev.muster.postgres.schema.Migrations;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.node.ArrayNode;

/** Shows which migrations are applied. */
@Command(name = "status", description = "Show which migrations are applied.")
final class MigrateStatusCommand implements Callable<Integer> {
    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        try (StoreSession session = StoreSession.open(settings.load())) {
            List<String> pending = session.pendingMigrations();
            output.print(() -> document(pending), () -> table(pending));
        }
        return ExitCode.DONE;
    }

    private static ArrayNode document(List<String> pending) {
        ArrayNode list = Json.array();
        for (String name : Migrations.names()) {
            list.addObject().put("version", name).put("applied", !pending.contains(name));
        }
        return list;
    }

    private static String table(List<String> pending) {
        Table table = new Table("MIGRATION", "STATUS");
        for (String name : Migrations.names()) {
            table.row(name, pending.contains(name) ? "pending" : "applied");
        }
        return table.toString();
    }
}
