package dev.muster.cli.internal.workflows;

import dev.muster.cli.internal.console.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Resumes a workflow. */
@Command(name = "resume", description = "Let the runs of a paused workflow continue.")
final class ResumeCommand implements Callable<Integer> {
    @Mixin
    private OneWorkflow workflow;

    @Override
    public Integer call() {
        workflow.steer(false);
        return ExitCode.DONE;
    }
}
