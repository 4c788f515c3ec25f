package dev.muster.cli.workflows;

import dev.muster.cli.console.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Pauses a workflow. */
@Command(
        name = "pause",
        description =
                "Let no run of a workflow go on until it is resumed. One that runs goes on until it waits or ends.")
final class PauseCommand implements Callable<Integer> {
    @Mixin
    private OneWorkflow workflow;

    @Override
    public Integer call() {
        workflow.steer(true);
        return ExitCode.DONE;
    }
}
