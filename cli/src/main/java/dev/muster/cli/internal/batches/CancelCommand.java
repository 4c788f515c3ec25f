package dev.muster.cli.internal.batches;

import dev.muster.cli.internal.console.ExitCode;
import dev.muster.job.BulkCancellation;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Cancels a batch. */
@Command(
        name = "cancel",
        description =
                "Cancel the jobs of a batch; those that run are asked to stop. The batch closes when none is left.")
final class CancelCommand implements Callable<Integer> {
    @Mixin
    private OneBatch batch;

    @Override
    public Integer call() {
        batch.change("batches.cancel", batches -> {
            BulkCancellation done = batches.cancel(batch.id());
            return "cancelled: " + done.cancelled() + " jobs; asked to stop: " + done.requested();
        });
        return ExitCode.DONE;
    }
}
