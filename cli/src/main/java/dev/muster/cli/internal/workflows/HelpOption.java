package dev.muster.cli.internal.workflows;

import picocli.CommandLine.Option;

/** {@code --help} alone, for commands in which {@code --version} means the version of a workflow. */
final class HelpOption {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help message and exit.")
    private boolean help;
}
