package dev.muster.cli.config;

import dev.muster.cli.console.ExitCode;
import dev.muster.cli.console.Json;
import dev.muster.cli.console.OutputOption;
import dev.muster.config.MusterConfig;
import dev.muster.config.SettingInfo;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.node.ArrayNode;

/** Describes every setting. Its output is {@code docs/settings.md}. */
@Command(name = "docs", description = "Describe every setting, as Markdown or JSON; needs no database.")
final class ConfigDocsCommand implements Callable<Integer> {
    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        output.print(ConfigDocsCommand::document, SettingsReference::markdown);
        return ExitCode.DONE;
    }

    private static ArrayNode document() {
        ArrayNode list = Json.array();
        for (SettingInfo setting : MusterConfig.settings()) {
            list.addObject()
                    .put("key", setting.key())
                    .put("variable", setting.variable())
                    .put("default", setting.defaultValue())
                    .put("allowed", setting.allowed())
                    .put("description", setting.description())
                    .put("secret", setting.secret());
        }
        return list;
    }
}
