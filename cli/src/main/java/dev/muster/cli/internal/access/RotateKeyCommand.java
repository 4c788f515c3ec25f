package dev.muster.cli.internal.access;

import dev.muster.access.CreatedKey;
import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.Ages;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.cli.internal.jobs.Values;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Replaces an API key. */
@Command(
        name = "rotate",
        description =
                "Create a successor of an API key, and end the old one after a while. The new key is shown only once.")
final class RotateKeyCommand implements Callable<Integer> {
    @Parameters(paramLabel = "ID", converter = AccessValues.OfKeyId.class, description = "The id of the old key.")
    private String id;

    @Option(
            names = "--overlap",
            paramLabel = "D",
            defaultValue = "1d",
            converter = Values.OfDuration.class,
            description = "How long the old key stays live, 0s to 3650d. Default: 1d.")
    private Duration overlap;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        try (Session session = Session.open(settings)) {
            CreatedKey successor = session.apiKeys().rotate(id, overlap);
            KeyOutput.print(output, successor);
            if (!output.json()) {
                output.say("key " + id
                        + (overlap.isZero() ? " has ended" : " ends in " + Ages.brief(overlap) + " at the latest"));
            }
        }
        return ExitCode.DONE;
    }
}
