package dev.muster.cli.internal.access;

import dev.muster.access.ApiKeyInfo;
import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.ApiKeyDocument;
import dev.muster.document.internal.JsonObjectWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists API keys. */
@Command(name = "list", description = "List API keys: those that are live first, then those that have ended.")
final class ListKeysCommand implements Callable<Integer> {
    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        try (Session session = Session.toRead(settings)) {
            List<ApiKeyInfo> keys = session.cluster().apiKeys().list();
            output.print(() -> JsonObjectWriter.list(keys, ApiKeyDocument::write), () -> KeyOutput.table(keys));
        }
        return ExitCode.DONE;
    }
}
