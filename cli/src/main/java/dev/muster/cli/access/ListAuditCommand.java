package dev.muster.cli.access;

import picocli.CommandLine.Command;

/** Lists the audit. */
@Command(name = "list", description = "List what was done to the cluster, the newest first.")
final class ListAuditCommand extends AuditListing {}
