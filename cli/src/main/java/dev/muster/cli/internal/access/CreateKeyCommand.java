package dev.muster.cli.internal.access;

import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.cli.internal.jobs.Values;
import dev.muster.runtime.NamePatterns;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Creates an API key. */
@Command(name = "create", description = "Create an API key. The key is shown only once.")
final class CreateKeyCommand implements Callable<Integer> {
    @Option(
            names = "--name",
            paramLabel = "NAME",
            required = true,
            description = "What people call the key; 1 to 100 characters.")
    private String name;

    @Option(
            names = "--scope",
            paramLabel = "SCOPE",
            required = true,
            converter = AccessValues.OfScope.class,
            description = "What its callers may do: read, write or admin. Each includes the ones before it.")
    private Scope scope;

    @Option(
            names = "--role",
            paramLabel = "ROLE",
            split = ",",
            description = "A role of the application, which functions may require. May be given several times.")
    private List<String> roles = List.of();

    @Option(
            names = "--names",
            paramLabel = "PATTERN",
            split = ",",
            description = "What its callers may start by its name, such as 'mail_*,report': jobs, functions, workflows."
                    + " May be given several times. Default: all.")
    private @Nullable List<String> names;

    @Option(
            names = "--tenant",
            paramLabel = "TENANT",
            description = "Whose things alone the key may use. Default: those of all.")
    private @Nullable String tenant;

    @Option(
            names = "--expires",
            paramLabel = "D",
            converter = Values.OfDuration.class,
            description = "How long the key is valid, such as 90d; 1s to 3650d. Default: forever.")
    private @Nullable Duration expires;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        KeyRequest request = new KeyRequest(
                name,
                scope,
                Set.copyOf(roles),
                names == null ? NamePatterns.ALL : NamePatterns.of(names),
                Optional.ofNullable(tenant),
                Optional.ofNullable(expires));
        try (Session session = Session.open(settings)) {
            session.prepareTables();
            KeyOutput.print(output, session.apiKeys().create(request));
        }
        return ExitCode.DONE;
    }
}
