package dev.muster.cli.internal.workflows;

import dev.muster.cli.internal.console.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Pauses a workflow. */
@Command(
        name = "pause",
        description =
                "Let no run of a workflow continue until it is resumed. One that is running continues until it waits or ends.")
final class PauseCommand implements Callable<Integer> {
    @Mixin
    private OneWorkflow workflow;

    @Override
    public Integer call() {
        workflow.steer(true);
        return ExitCode.DONE;
    }
}
