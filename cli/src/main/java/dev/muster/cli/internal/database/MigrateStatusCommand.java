package dev.muster.cli.internal.database;

import dev.muster.Admin;
import dev.muster.Admin.Migration;
import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.console.Table;
import dev.muster.document.internal.JsonObjectWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows which migrations are applied. */
@Command(name = "status", description = "Show which migrations are applied.")
final class MigrateStatusCommand implements Callable<Integer> {
    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        try (Session session = Session.forTables(settings.load())) {
            List<Migration> migrations = session.admin().migrations();
            output.print(() -> document(migrations), () -> table(migrations));
        }
        return ExitCode.DONE;
    }

    /** The names of the migrations that are missing. */
    static List<String> pending(Admin admin) {
        return admin.migrations().stream()
                .filter(migration -> !migration.applied())
                .map(Migration::name)
                .toList();
    }

    private static List<@Nullable Object> document(List<Migration> migrations) {
        return JsonObjectWriter.list(
                migrations,
                migration -> new JsonObjectWriter()
                        .put("version", migration.name())
                        .put("applied", migration.applied())
                        .done());
    }

    private static String table(List<Migration> migrations) {
        Table table = new Table("MIGRATION", "STATUS");
        for (Migration migration : migrations) {
            table.row(migration.name(), migration.applied() ? "applied" : "pending");
        }
        return table.toString();
    }
}
