package dev.muster.cli.internal.access;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Commands about API keys. */
@Command(
        name = "keys",
        description = "Create, list, revoke and rotate the API keys of the gateway.",
        subcommands = {CreateKeyCommand.class, ListKeysCommand.class, RevokeKeyCommand.class, RotateKeyCommand.class})
public final class KeysCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "which one? create, list, revoke or rotate");
    }
}
