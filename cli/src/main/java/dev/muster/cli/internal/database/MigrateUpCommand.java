package dev.muster.cli.internal.database;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.config.MusterConfig;
import dev.muster.document.internal.JsonObjectWriter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Applies missing migrations. */
@Command(
        name = "up",
        description = "Apply the missing migrations. Can be repeated, and can run while nodes are running.")
final class MigrateUpCommand implements Callable<Integer> {
    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        MusterConfig config = settings.load();
        try (Session session = Session.forTables(config)) {
            List<String> applied = session.admin().migrateUp();
            output.print(
                    () -> document(config, applied),
                    () -> applied.isEmpty() ? "already up to date" : "applied " + String.join(", ", applied));
        }
        return ExitCode.DONE;
    }

    private static Map<String, @Nullable Object> document(MusterConfig config, List<String> applied) {
        return new JsonObjectWriter()
                .put("schema", config.database().schema())
                .put("applied", applied)
                .done();
    }
}
