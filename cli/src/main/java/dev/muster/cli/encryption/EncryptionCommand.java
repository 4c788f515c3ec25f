package dev.muster.cli.encryption;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Commands about the encryption of args and results. */
@Command(
        name = "encryption",
        description = "Show which encryption keys stored args and results need.",
        subcommands = {KeysCommand.class})
public final class EncryptionCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "which one? keys");
    }
}
