package dev.muster.cli.internal.config;

import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.console.Table;
import dev.muster.config.ConfigEntry;
import dev.muster.document.internal.JsonObjectWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows every setting with its value and source. */
@Command(
        name = "show",
        description = "Show every setting with its value and where the value comes from; hides secrets.")
final class ConfigShowCommand implements Callable<Integer> {
    private static final int VALUE_WIDTH = 60;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        List<ConfigEntry> entries = settings.load().entries();
        output.print(() -> document(entries), () -> table(entries));
        return ExitCode.DONE;
    }

    private static List<@Nullable Object> document(List<ConfigEntry> entries) {
        return JsonObjectWriter.list(
                entries,
                entry -> new JsonObjectWriter()
                        .put("key", entry.key())
                        .put("value", entry.value())
                        .put("source", entry.source())
                        .put("description", entry.description())
                        .done());
    }

    private static String table(List<ConfigEntry> entries) {
        Table table = new Table("KEY", "VALUE", "SOURCE");
        for (ConfigEntry entry : entries) {
            String value = entry.value().isEmpty() ? "-" : Table.cut(entry.value(), VALUE_WIDTH);
            table.row(entry.key(), value, entry.source());
        }
        return table.toString();
    }
}
