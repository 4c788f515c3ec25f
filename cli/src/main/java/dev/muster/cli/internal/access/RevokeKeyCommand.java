package dev.muster.cli.internal.access;

import dev.muster.access.ApiKeyInfo.Status;
import dev.muster.access.ApiKeys;
import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.ApiKeyDocument;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Ends an API key. */
@Command(name = "revoke", description = "End an API key at once. It cannot be used again.")
final class RevokeKeyCommand implements Callable<Integer> {
    @Parameters(paramLabel = "ID", converter = AccessValues.OfKeyId.class, description = "The key's id.")
    private String id;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        try (Session session = Session.open(settings)) {
            ApiKeys keys = session.apiKeys();
            if (!keys.revoke(id)) {
                throw CommandFailed.failed(whyNot(keys));
            }
            output.print(() -> ApiKeyDocument.write(keys.find(id).orElseThrow()), () -> "revoked key " + id);
        }
        return ExitCode.DONE;
    }

    private String whyNot(ApiKeys keys) {
        return keys.find(id)
                .map(key ->
                        "key " + id + (key.status() == Status.REVOKED ? " was revoked before" : " has expired before"))
                .orElse("there is no key " + id + "; 'muster keys list' shows them");
    }
}
