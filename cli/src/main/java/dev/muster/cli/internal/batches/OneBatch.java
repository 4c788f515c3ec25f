package dev.muster.cli.internal.batches;

import dev.muster.batch.BatchInfo;
import dev.muster.batch.Batches;
import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.cli.internal.jobs.Values;
import dev.muster.document.internal.BatchDocument;
import dev.muster.job.BatchId;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The batch that a command is about. */
final class OneBatch {
    @Parameters(index = "0", paramLabel = "ID", converter = Values.OfBatchId.class, description = "The batch's id.")
    private BatchId id;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    BatchId id() {
        return id;
    }

    private BatchInfo require(Batches batches) {
        return batches.find(id).orElseThrow(() -> CommandFailed.failed("there is no batch " + id));
    }

    void show() {
        try (Session session = Session.toRead(settings)) {
            BatchInfo batch = require(session.cluster().batches());
            output.print(() -> BatchDocument.write(batch), () -> BatchText.details(batch));
        }
    }

    /**
     * Changes the batch and prints it.
     *
     * @param audited as what the audit has it; null: not at all, because programs do it as a matter of course
     * @param change returns what to say
     */
    void change(@Nullable String audited, Function<Batches, String> change) {
        try (Session session = Session.open(settings)) {
            Batches batches = session.cluster().batches();
            require(batches);
            String done = audited == null
                    ? change.apply(batches)
                    : session.audited(audited, id.toString(), () -> change.apply(batches));
            output.print(() -> BatchDocument.write(require(batches)), () -> done);
        }
    }
}
