package dev.muster.cli.internal.batches;

import dev.muster.batch.BatchInfo;
import dev.muster.batch.BatchStatus;
import dev.muster.cli.internal.console.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Seals a batch. */
@Command(
        name = "seal",
        description = "Say that no more jobs will come, so that a batch closes when its jobs have ended.")
final class SealCommand implements Callable<Integer> {
    @Mixin
    private OneBatch batch;

    @Override
    public Integer call() {
        batch.change(null, batches -> {
            batches.seal(batch.id());
            BatchStatus status = batches.find(batch.id())
                    .map(BatchInfo::status)
                    .filter(BatchStatus::isClosed)
                    .orElse(BatchStatus.SEALED);
            return status == BatchStatus.SEALED
                    ? "sealed: " + batch.id()
                    : "closed: " + batch.id() + ", " + status.text();
        });
        return ExitCode.DONE;
    }
}
