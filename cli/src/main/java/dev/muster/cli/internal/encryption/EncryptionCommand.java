package dev.muster.cli.internal.encryption;

import picocli.CommandLine.Command;

/** The encryption of args and results. There is one thing to ask about it, so the group answers that itself. */
@Command(
        name = "encryption",
        description = "Show which encryption keys stored args and results need; the same as encryption keys.",
        subcommands = {KeysCommand.class})
public final class EncryptionCommand extends KeysListing {}
