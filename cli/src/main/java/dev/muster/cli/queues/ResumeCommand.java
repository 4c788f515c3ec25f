package dev.muster.cli.queues;

import dev.muster.cli.console.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lets a paused queue run again. */
@Command(name = "resume", description = "Let a paused queue run again.")
final class ResumeCommand implements Callable<Integer> {
    @Mixin
    private OneQueue queue;

    @Override
    public Integer call() {
        queue.steer(false);
        return ExitCode.DONE;
    }
}
