package dev.muster.cli.internal.encryption;

import picocli.CommandLine.Command;

/** Shows which keys can be removed. */
@Command(
        name = "keys",
        description = {
            "List the encryption keys in the settings and in stored data, and what needs each of them.",
            "A key that no live job, run of a workflow, graph, cron or idempotency key needs can be removed from encryption.keys.",
            "Reads all live jobs, runs and graphs; with --history also all ended ones, which can take minutes."
        })
final class KeysCommand extends KeysListing {}
