package dev.muster.cli.internal.queues;

import dev.muster.cli.internal.console.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Resumes a paused queue. */
@Command(name = "resume", description = "Let the jobs of a paused queue start again.")
final class ResumeCommand implements Callable<Integer> {
    @Mixin
    private OneQueue queue;

    @Override
    public Integer call() {
        queue.steer(false);
        return ExitCode.DONE;
    }
}
