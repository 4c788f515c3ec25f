package dev.muster.cli.internal.config;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Commands about the settings. */
@Command(
        name = "config",
        description = "Check the settings, show or describe them, or show what runs a job.",
        subcommands = {
            ConfigCheckCommand.class,
            ConfigShowCommand.class,
            ConfigDocsCommand.class,
            ApiDocsCommand.class,
            ConfigRouteCommand.class
        })
public final class ConfigCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "which one? check, show, docs or route");
    }
}
