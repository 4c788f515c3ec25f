package dev.muster.cli.internal.config;

import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.config.ConfigException;
import dev.muster.config.ConfigProblem;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.internal.job.payload.Payloads;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Checks whether a node would accept the settings. */
@Command(name = "check", description = "List all problems of the settings; needs no database.")
final class ConfigCheckCommand implements Callable<Integer> {
    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        try {
            // Building a Muster makes the same check.
            Payloads.of(null, settings.load().encryption());
        } catch (ConfigException e) {
            if (!output.json()) {
                throw e;
            }
            output.print(() -> document(e.problems()), String::new);
            return ExitCode.USAGE;
        }
        output.print(() -> document(List.of()), () -> "ok");
        return ExitCode.DONE;
    }

    private static Map<String, @Nullable Object> document(List<ConfigProblem> problems) {
        return new JsonObjectWriter()
                .put("ok", problems.isEmpty())
                .put("problems", JsonObjectWriter.list(problems, ConfigCheckCommand::document))
                .done();
    }

    private static Map<String, @Nullable Object> document(ConfigProblem problem) {
        return new JsonObjectWriter()
                .put("key", problem.key())
                .put("source", problem.source())
                .put("message", problem.message())
                .done();
    }
}
