package dev.muster.cli.config;

import dev.muster.cli.console.ExitCode;
import dev.muster.cli.console.Json;
import dev.muster.cli.console.OutputOption;
import dev.muster.config.ConfigException;
import dev.muster.config.ConfigProblem;
import dev.muster.job.payload.Payloads;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

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

    private static ObjectNode document(List<ConfigProblem> problems) {
        ObjectNode document = Json.object().put("ok", problems.isEmpty());
        ArrayNode list = document.putArray("problems");
        for (ConfigProblem problem : problems) {
            list.addObject()
                    .put("key", problem.key().orElse(null))
                    .put("source", problem.source())
                    .put("message", problem.message());
        }
        return document;
    }
}
