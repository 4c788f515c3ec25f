package dev.muster.cli.internal.batches;

import dev.muster.cli.internal.console.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows a batch. */
@Command(
        name = "show",
        description = "Show a batch and what has become of its jobs.",
        footer = {"", "'muster jobs list --batch ID' lists its jobs."})
final class ShowCommand implements Callable<Integer> {
    @Mixin
    private OneBatch batch;

    @Override
    public Integer call() {
        batch.show();
        return ExitCode.DONE;
    }
}
