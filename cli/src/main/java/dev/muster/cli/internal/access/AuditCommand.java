package dev.muster.cli.internal.access;

import picocli.CommandLine.Command;

/** The audit. There is one thing to do with it, so the group does that itself. */
@Command(
        name = "audit",
        description = "Show who did what to the cluster, the newest first; the same as audit list.",
        subcommands = {AuditCommand.ListCommand.class})
public final class AuditCommand extends AuditListing {

    @Command(name = "list", description = "List what was done to the cluster, the newest first.")
    static final class ListCommand extends AuditListing {}
}
