package dev.muster.cli.internal.batches;

import dev.muster.batch.BatchInfo;
import dev.muster.batch.BatchQuery;
import dev.muster.batch.BatchStatus;
import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.cli.internal.jobs.Values;
import dev.muster.document.internal.BatchDocument;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.internal.runtime.Names;
import dev.muster.job.BatchId;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists batches. */
@Command(name = "list", description = "List batches, the newest first.")
final class ListCommand implements Callable<Integer> {
    private static final int MAX_LIMIT = 1_000;

    @Option(names = "--name", paramLabel = "NAME", description = "Only batches with this name.")
    private @Nullable String name;

    @Option(
            names = "--status",
            paramLabel = "S",
            split = ",",
            description = "Only batches with these statuses: open, sealed, succeeded, failed, cancelled.")
    private List<BatchStatus> statuses = List.of();

    @Option(names = "--limit", paramLabel = "N", defaultValue = "20", description = "At most N batches. Default: 20.")
    private int limit;

    @Option(
            names = "--before",
            paramLabel = "ID",
            converter = Values.OfBatchId.class,
            description = "Only batches older than this one, which is the last one on the previous page.")
    private @Nullable BatchId before;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw CommandFailed.badInput("--limit must be 1 to " + MAX_LIMIT + ", not " + limit);
        }
        BatchQuery all = BatchQuery.all().statuses(statuses).limit(limit);
        BatchQuery named = name == null ? all : all.name(Names.require("batch name", name));
        BatchQuery query = before == null ? named : named.before(before);
        try (Session session = Session.toRead(settings)) {
            List<BatchInfo> batches = session.cluster().batches().list(query);
            output.print(() -> JsonObjectWriter.list(batches, BatchDocument::write), () -> BatchText.table(batches));
            if (batches.size() == limit && !output.json()) {
                output.say("next page: --before " + batches.get(limit - 1).id());
            }
        }
        return ExitCode.DONE;
    }
}
