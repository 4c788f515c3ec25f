package dev.muster.cli.config;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Commands about the settings. */
@Command(
        name = "config",
        description = "Check the settings, show them, or describe them.",
        subcommands = {ConfigCheckCommand.class, ConfigShowCommand.class, ConfigDocsCommand.class})
public final class ConfigCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "which one? check, show or docs");
    }
}
