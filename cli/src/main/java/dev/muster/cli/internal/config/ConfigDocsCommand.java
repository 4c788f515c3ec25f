package dev.muster.cli.internal.config;

import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.config.MusterConfig;
import dev.muster.document.internal.JsonObjectWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

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

    private static List<@Nullable Object> document() {
        return JsonObjectWriter.list(
                MusterConfig.settings(),
                setting -> new JsonObjectWriter()
                        .put("key", setting.key())
                        .put("variable", setting.variable())
                        .put("default", setting.defaultValue())
                        .put("allowed", setting.allowed())
                        .put("description", setting.description())
                        .put("secret", setting.secret())
                        .done());
    }
}
