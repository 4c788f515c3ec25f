package dev.muster.cli.internal.access;

import dev.muster.access.AuditEntry;
import dev.muster.access.AuditQuery;
import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.Ages;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.console.Table;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.AuditDocument;
import dev.muster.document.internal.JsonObjectWriter;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the audit, for the command and for its group, which has no other. */
abstract class AuditListing implements Callable<Integer> {
    @Option(
            names = "--caller",
            paramLabel = "ID",
            description = "Only what this caller did: key:ID, jwt:SUBJECT, cli:USER@HOST or program:NODE.")
    private @Nullable String caller;

    @Option(names = "--action", paramLabel = "A", description = "Only this action, such as keys.create.")
    private @Nullable String action;

    @Option(names = "--target", paramLabel = "T", description = "Only what was done to this, such as a key's id.")
    private @Nullable String target;

    @Option(names = "--limit", paramLabel = "N", defaultValue = "20", description = "At most N entries. Default: 20.")
    private int limit;

    @Option(
            names = "--before",
            paramLabel = "ID",
            description = "Only entries older than this one, which is the last one on the previous page.")
    private @Nullable Long before;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        if (limit < 1 || limit > AuditQuery.MAX_LIMIT) {
            throw CommandFailed.badInput("--limit must be 1 to " + AuditQuery.MAX_LIMIT + ", not " + limit);
        }
        AuditQuery query = new AuditQuery(
                Optional.ofNullable(before),
                limit,
                Optional.ofNullable(caller),
                Optional.ofNullable(action),
                Optional.ofNullable(target));
        try (Session session = Session.toRead(settings)) {
            List<AuditEntry> entries = session.cluster().audit().list(query);
            output.print(() -> JsonObjectWriter.list(entries, AuditDocument::write), () -> table(entries));
            if (entries.size() == limit && !output.json()) {
                output.say("next page: --before " + entries.get(limit - 1).id());
            }
        }
        return ExitCode.DONE;
    }

    private static String table(List<AuditEntry> entries) {
        if (entries.isEmpty()) {
            return "no entries";
        }
        Ages ages = new Ages(Instant.now());
        Table table = new Table("ID", "WHEN", "CALLER", "ACTION", "TARGET", "OUTCOME");
        for (AuditEntry entry : entries) {
            table.row(
                    entry.id(),
                    ages.of(entry.at()),
                    Table.cut(entry.caller(), 36),
                    Table.cut(entry.action(), 16),
                    entry.target().isEmpty() ? "-" : Table.cut(entry.target(), 36),
                    entry.outcome().map(outcome -> Table.cut(outcome, 40)).orElse("unknown"));
        }
        return table.toString();
    }
}
