package dev.muster.cli.internal.batches;

import dev.muster.batch.BatchCondition;
import dev.muster.batch.BatchRequest;
import dev.muster.batch.Batches;
import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.BatchDocument;
import dev.muster.job.BatchId;
import dev.muster.job.JobRequest;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Creates a batch. */
@Command(
        name = "create",
        description = "Create a batch, and print its id.",
        footer = {"", "Then: muster jobs enqueue NAME --batch ID, and muster batches seal ID."})
final class CreateCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "NAME", description = "The batch's name.")
    private String name;

    @Option(
            names = "--on-complete",
            paramLabel = "JOB",
            description = "The name of a job that is enqueued when the batch closes.")
    private @Nullable String onComplete;

    @Option(names = "--any", description = "The batch closes as soon as one job has completed.")
    private boolean any;

    @Option(
            names = "--success-rate",
            paramLabel = "R",
            description = "The batch closes as soon as this share of its jobs has completed, such as 0.95.")
    private @Nullable Double successRate;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        BatchRequest request = request();
        try (Session session = Session.open(settings)) {
            session.prepareTables();
            Batches batches = session.cluster().batches();
            BatchId id = batches.create(request);
            output.print(() -> BatchDocument.write(batches.find(id).orElseThrow()), id::toString);
        }
        return ExitCode.DONE;
    }

    private BatchRequest request() {
        if (any && successRate != null) {
            throw CommandFailed.badInput("--any and --success-rate exclude each other");
        }
        if (successRate != null && !(successRate > 0 && successRate <= 1)) {
            throw CommandFailed.badInput("--success-rate must be above 0 and at most 1, not " + successRate);
        }
        BatchRequest request = BatchRequest.of(name);
        request = any ? request.condition(BatchCondition.any()) : request;
        request = successRate == null ? request : request.condition(BatchCondition.successRate(successRate));
        return onComplete == null ? request : request.onComplete(JobRequest.of(onComplete));
    }
}
