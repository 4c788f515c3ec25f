package dev.muster.cli.access;

import picocli.CommandLine.Command;

/** The audit. There is one thing to do with it, so the group does that itself. */
@Command(
        name = "audit",
        description = "Show who did what to the cluster, the newest first; the same as audit list.",
        subcommands = {ListAuditCommand.class})
public final class AuditCommand extends AuditListing {}
